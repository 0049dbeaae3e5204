import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Refresher } from "./refresher";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it("loads at once, then gathers the questions of the gap into one load", async () => {
  const load = vi.fn(() => Promise.resolve());
  const refresher = new Refresher(load, 200);
  refresher.ask();
  refresher.ask();
  refresher.ask();
  expect(load).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(199);
  expect(load).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(load).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(load).toHaveBeenCalledTimes(2);
});

it("does not load while a load is under way, and loads after it, when it was left in peace for as long as that took", async () => {
  let finish = () => {};
  const load = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)));
  const refresher = new Refresher(load, 10);
  refresher.ask();
  refresher.ask();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(load).toHaveBeenCalledTimes(1);
  finish();
  await vi.advanceTimersByTimeAsync(999);
  expect(load).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(load).toHaveBeenCalledTimes(2);
});

it("loads no more once stopped", async () => {
  const load = vi.fn(() => Promise.resolve());
  const refresher = new Refresher(load, 10);
  refresher.stop();
  refresher.ask();
  await vi.advanceTimersByTimeAsync(100);
  expect(load).not.toHaveBeenCalled();
});

it("loads again once it was started again", async () => {
  const load = vi.fn(() => Promise.resolve());
  const refresher = new Refresher(load, 10);
  refresher.ask();
  refresher.stop();
  refresher.start();
  refresher.ask();
  await vi.advanceTimersByTimeAsync(100);
  expect(load).toHaveBeenCalledTimes(2);
});
