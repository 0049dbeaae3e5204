/**
 * The window's named functions, without `eval`. pywebview builds each function from text, which the page's policy refuses
 * and shall go on refusing; so the page makes the same functions itself, at the moment pywebview puts its object in place.
 */
export interface Native {
  api: Record<string, (...given: unknown[]) => Promise<unknown>>;
  _createApi: (functions: { func: string }[]) => void;
  _returnValuesCallbacks: Record<string, object>;
  _checkValue: (name: string, resolve: (value: unknown) => void, reject: (error: Error) => void, id: string) => void;
  _jsApiCallback: (name: string, given: unknown[], id: string) => void;
}

declare global {
  interface Window {
    pywebview?: Native;
  }
}

let calls = 0;

export function withoutEval(native: Native): Native {
  native._createApi = (functions) => {
    for (const { func } of functions) {
      native._returnValuesCallbacks[func] = {};
      native.api[func] = (...given) =>
        new Promise((resolve, reject) => {
          const id = `call${++calls}`;
          native._checkValue(func, resolve, reject, id);
          native._jsApiCallback(func, given, id);
        });
    }
  };
  return native;
}

/** Await pywebview's object; call it before the page has loaded. */
export function awaitNative(page: Window): Promise<Native> {
  return new Promise((resolve) => {
    let native: Native | undefined;
    Object.defineProperty(page, "pywebview", {
      configurable: true,
      get: () => native,
      set: (given: Native) => (native = withoutEval(given)),
    });
    page.addEventListener("pywebviewready", () => native && resolve(native), { once: true });
  });
}
