import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { PageOf } from "./pagedQuery.svelte";

// The queries follow the live feed, which needs a browser; nothing of it is used here. Other files' tests share this engine.
vi.resetModules();
vi.doMock("../live/follow", () => ({ followStream: () => () => undefined }));
vi.doMock("../state/toasts.svelte", () => ({ toasts: {} }));
const { RequestFailed } = await import("../api/errors");
const { PagedQuery } = await import("./pagedQuery.svelte");
const { Query } = await import("./query.svelte");
afterAll(() => {
  vi.doUnmock("../live/follow");
  vi.doUnmock("../app/toasts.svelte");
  vi.resetModules();
});

const FAILED = new RequestFailed({ code: "busy", sentence: "Busy.", remedy: "Wait." }, 503);

describe("a query", () => {
  it("shows the answer to the latest reading, whichever comes first", async () => {
    const answers: ((view: string) => void)[] = [];
    const query = new Query(() => new Promise<string>((resolve) => answers.push(resolve)));
    const [first, second] = [query.load(), query.load()];
    answers[1]?.("new");
    await second;
    answers[0]?.("old");
    await first;
    expect([query.view, query.loading]).toEqual(["new", false]);
  });

  it("keeps what is shown when a reading fails, and forgets the error when the next one works", async () => {
    const read = vi.fn<() => Promise<string>>().mockResolvedValueOnce("a").mockRejectedValueOnce(FAILED).mockResolvedValueOnce("b");
    const query = new Query(read);
    await query.load();
    await query.load();
    expect([query.view, query.error?.code]).toEqual(["a", "busy"]);
    await query.load();
    expect([query.view, query.error]).toEqual(["b", null]);
  });

  it("does not take a defect for a failed request", async () => {
    await expect(new Query(() => Promise.reject(new TypeError("a defect"))).load()).rejects.toThrow("a defect");
  });

  it("does not let an awaited answer replace what a command answered", async () => {
    let answer = (_: string) => {};
    const query = new Query(() => new Promise<string>((resolve) => (answer = resolve)));
    const reading = query.load();
    query.set("by the command");
    answer("read before");
    await reading;
    expect(query.view).toBe("by the command");
  });
});

describe("a paged query", () => {
  const rows = Array.from({ length: 120 }, (_, n) => ({ id: `r${n}` }));
  const read = vi.fn((after: string | null, limit: number): Promise<PageOf<{ id: string }>> => {
    const from = Number(after ?? 0);
    const to = Math.min(from + Math.min(limit, 50), rows.length);
    return Promise.resolve({ rows: rows.slice(from, to), next: to < rows.length ? String(to) : null });
  });
  beforeEach(() => read.mockClear());

  it("grows page by page up to the end of the list", async () => {
    const list = new PagedQuery(read);
    await list.load();
    expect([list.rows.length, list.hasMore]).toEqual([50, true]);
    await list.loadMore();
    await list.loadMore();
    await list.loadMore();
    expect([list.rows.length, list.hasMore, read.mock.calls.length]).toEqual([120, false, 3]);
  });

  it("is as long after it was read again, and short after it was restarted", async () => {
    const list = new PagedQuery(read);
    await list.load();
    await list.loadMore();
    await list.load();
    expect(list.rows.length).toBe(100);
    await list.restart();
    expect(list.rows.length).toBe(50);
  });

  it("does not add a page of the list before", async () => {
    const list = new PagedQuery(read);
    await list.load();
    const more = list.loadMore();
    await Promise.all([list.restart(), more]);
    expect(list.rows.length).toBe(50);
  });
});
