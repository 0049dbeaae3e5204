const CONTROL = "a, button, input, select, textarea, summary, [tabindex='0']";
const PLACE = "article, section, li, form, dialog, main, [role=dialog], [role=group], [role=region]";

/** An element, and which child of its parent it is. */
interface Spot {
  element: Element;
  at: number;
}

const isGone = (element: Element): boolean => !element.isConnected || element.matches(":disabled");

function wayUp(element: Element): Spot[] {
  const way: Spot[] = [];
  for (let ancestor: Element | null = element; ancestor !== null && ancestor !== document.body; ancestor = ancestor.parentElement)
    way.push({ element: ancestor, at: [...(ancestor.parentElement?.children ?? [])].indexOf(ancestor) });
  return way;
}

/**
 * The part of the page that stands where something was: never a control, because the next Enter would do what nobody has read.
 * `way` leads from what was there to the page.
 */
export function placeOf(way: readonly Spot[]): HTMLElement | null {
  const last = way.findIndex(({ element }) => element.isConnected);
  const parent = way[last]?.element;
  if (parent === undefined) return document.querySelector("main"); // a dialog, which stands in nothing
  const { at } = way[last - 1] ?? { at: -1 };
  const successor = parent.children[Math.min(at, parent.children.length - 1)];
  const container = (successor === undefined || successor.matches(CONTROL) ? parent : successor).closest<HTMLElement>(PLACE);
  return container ?? document.querySelector("main");
}

/**
 * Keep the place of the keyboard's focus when the control that had it goes away with what it did, such as the answer to a
 * question: browsers let it fall to the page's beginning. A control that is only disabled for a while gets it back. Returns the
 * way to stop.
 */
export function keepFocus(): () => void {
  let way: readonly Spot[] = [];

  function restore() {
    const last = way[0]?.element;
    if (last === undefined || (document.activeElement ?? document.body) !== document.body) return;
    if (!isGone(last)) return (last as HTMLElement).focus({ preventScroll: true });
    if (last.isConnected) return; // disabled: it comes back, or goes
    const container = placeOf(way);
    if (container === null) return;
    if (!container.hasAttribute("tabindex")) {
      container.tabIndex = -1;
      container.addEventListener("blur", () => container.removeAttribute("tabindex"), { once: true });
    }
    container.focus({ preventScroll: true });
  }

  const came = ({ target }: FocusEvent) => target instanceof Element && (way = wayUp(target));
  // Who leaves a control that is still there means to, by a click beside it, say; who leaves the window comes back to it.
  const left = (target: EventTarget | null) => target === way[0]?.element && target !== document.activeElement && !isGone(target as Element);
  const went = ({ target, relatedTarget }: FocusEvent) => {
    if (relatedTarget !== null) way = []; // it is on its way to another one
    else queueMicrotask(() => left(target) && (way = []));
  };
  const observer = new MutationObserver(restore);
  observer.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["disabled"] });
  document.addEventListener("focusin", came);
  document.addEventListener("focusout", went, { capture: true }); // before what goes away because of it
  return () => {
    observer.disconnect();
    document.removeEventListener("focusin", came);
    document.removeEventListener("focusout", went, { capture: true });
  };
}
