import { isError, RequestFailed } from "../api/errors";
import type { Native } from "../api/generated";

/**
 * The window's named functions, without `eval`. pywebview builds each function from text, which the page's policy refuses
 * and shall go on refusing; so the page makes the same functions itself, at the moment pywebview puts its object in place.
 */
export interface Pywebview {
  api: Record<string, (...parameters: unknown[]) => Promise<unknown>>;
  _createApi: (functions: { func: string }[]) => void;
  _returnValuesCallbacks: Record<string, object>;
  _checkValue: (name: string, resolve: (value: unknown) => void, reject: (error: Error) => void, id: string) => void;
  _jsApiCallback: (name: string, parameters: unknown[], id: string) => void;
}

declare global {
  interface Window {
    pywebview?: Pywebview;
  }
}

let calls = 0;

export function withoutEval(made: Pywebview, done: () => void = () => {}): Pywebview {
  made._createApi = (functions) => {
    for (const { func } of functions) {
      if (func in made.api) continue; // pywebview may name them twice, and a call may be under way
      made._returnValuesCallbacks[func] = {};
      made.api[func] = (...parameters) =>
        new Promise((resolve, reject) => {
          const id = `call${++calls}`;
          made._checkValue(func, resolve, reject, id);
          made._jsApiCallback(func, parameters, id);
        });
    }
    done();
  };
  return made;
}

/** Await pywebview's object with our functions, which come when the backend is there; call it before the page has loaded. */
export function awaitPywebview(page: Window): Promise<Pywebview> {
  return new Promise((resolve) => {
    let made: Pywebview | undefined;
    let ready = false;
    const settle = () => {
      if (ready && made && Object.keys(made.api).length > 0) resolve(made);
    };
    Object.defineProperty(page, "pywebview", {
      configurable: true,
      get: () => made,
      set: (assigned: Pywebview) => (made = withoutEval(assigned, settle)),
    });
    const begin = () => {
      ready = true;
      settle();
    };
    page.addEventListener("pywebviewready", begin, { once: true });
  });
}

/** The functions by their types; each raises RequestFailed with the window's coded error. */
export function typed(api: Pywebview["api"]): Native {
  const made = Object.entries(api).map(([name, call]) => [
    name,
    async (...parameters: unknown[]) => {
      const answer = (await call(...parameters)) as { value?: unknown; error?: unknown };
      if (isError(answer.error)) throw new RequestFailed(answer.error, 0);
      return answer.value;
    },
  ]);
  return Object.fromEntries(made) as Native;
}

/** Whether this page is in Outrider's window, and not in a plain browser. */
export function inWindow(): boolean {
  return new URLSearchParams(location.search).has("window");
}

let ready: Promise<Native> | undefined;

/** The window's functions; only in the window, and for the first time before the page has loaded. */
export function native(): Promise<Native> {
  return (ready ??= awaitPywebview(window).then((made) => typed(made.api)));
}
