import { expect, it, vi } from "vitest";
import { awaitNative, withoutEval, type Native } from "./native";

function native(): Native {
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
  const made = withoutEval(native());
  made._createApi([{ func: "outrider_token" }]);
  expect(await made.api["outrider_token"]?.(1, "two")).toBe("answer");
  expect(made._jsApiCallback).toHaveBeenCalledWith("outrider_token", [1, "two"], expect.any(String));
  expect(made._returnValuesCallbacks).toEqual({ outrider_token: {} });
});

it("is in place before pywebview names its functions, and ready after", async () => {
  const page = new EventTarget() as unknown as Window;
  const ready = awaitNative(page);
  page.pywebview = native();
  page.pywebview._createApi([{ func: "a" }]);
  page.dispatchEvent(new Event("pywebviewready"));
  expect(Object.keys((await ready).api)).toEqual(["a"]);
});
