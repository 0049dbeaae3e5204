type Around<E> = E & { currentTarget: HTMLElement };

/** Whether the focus goes to something outside of a field and its list. */
export function isLeft(event: Around<FocusEvent>): boolean {
  return !event.currentTarget.contains(event.relatedTarget as Node | null);
}

/** How far an arrow key moves in a list: 1 down, -1 up, 0 for any other key. */
export function arrowOf(event: KeyboardEvent): number {
  return event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
}

/** Focus what is so far from here, among a field and the buttons of its list; it stays within them. */
export function moveFocus(event: Around<KeyboardEvent>, by: number): void {
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("input, li button")];
  stops[Math.min(Math.max(stops.indexOf(document.activeElement as HTMLElement) + by, 0), stops.length - 1)]?.focus();
}
