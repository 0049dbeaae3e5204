import { expect, it, vi } from "vitest";
import { RequestFailed } from "../api/errors";
import { awaitPywebview, typed, withoutEval, type Pywebview } from "./native";

function pywebview(): Pywebview {
  return {
    api: {},
    _createApi: () => {
      throw new EvalError("the policy refuses it");
    },
    _returnValuesCallbacks: {},
    _checkValue: vi.fn((_name, resolve: (value: unknown) => void) => resolve("answer")),
    _jsApiCallback: vi.fn(),
  };
}

it("makes the named functions that the window offers", async () => {
  const made = withoutEval(pywebview());
  made._createApi([{ func: "outrider_token" }]);
  expect(await made.api["outrider_token"]?.(1, "two")).toBe("answer");
  expect(made._jsApiCallback).toHaveBeenCalledWith("outrider_token", [1, "two"], expect.any(String));
  expect(made._returnValuesCallbacks).toEqual({ outrider_token: {} });
});

it("is in place before pywebview names its functions, and ready after", async () => {
  const page = new EventTarget() as unknown as Window;
  const ready = awaitPywebview(page);
  page.pywebview = pywebview();
  page.pywebview._createApi([{ func: "a" }]);
  page.dispatchEvent(new Event("pywebviewready"));
  expect(Object.keys((await ready).api)).toEqual(["a"]);
});

it("is ready only when the functions came, which may be later", async () => {
  const page = new EventTarget() as unknown as Window;
  const settled = vi.fn();
  const ready = awaitPywebview(page).then(settled);
  const made = (page.pywebview = pywebview());
  made._createApi([]);
  page.dispatchEvent(new Event("pywebviewready"));
  await Promise.resolve();
  expect(settled).not.toHaveBeenCalled();
  made._createApi([{ func: "a" }]);
  await ready;
  const first = made.api["a"];
  made._createApi([{ func: "a" }]);
  expect(made.api["a"]).toBe(first);
});

it("hands on what the window answers, and raises its coded error", async () => {
  const shape = { code: "link_refused", sentence: "No.", remedy: "Another." };
  const functions = typed({
    outrider_token: () => Promise.resolve({ value: "secret" }),
    open_link: () => Promise.resolve({ error: shape }),
    keep_open: () => Promise.resolve({ value: null }),
  });
  expect(await functions.outrider_token()).toBe("secret");
  expect(await functions.keep_open()).toBeNull();
  await expect(functions.open_link({ url: "x:" })).rejects.toEqual(new RequestFailed(shape, 0));
});
