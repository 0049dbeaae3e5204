/** Follow the pointer until it is let go (`dropped`), or until Escape or the system ends it; Escape reaches nobody else. */
export function followPointer(along: (pointer: PointerEvent) => void, ended: (dropped: boolean) => void): void {
  const end = (event: Event) => {
    window.removeEventListener("pointermove", along);
    window.removeEventListener("pointerup", end);
    window.removeEventListener("pointercancel", end);
    window.removeEventListener("keydown", escape, true);
    ended(event.type === "pointerup");
  };
  const escape = (pressed: KeyboardEvent) => {
    if (pressed.key !== "Escape") return;
    pressed.stopPropagation();
    end(pressed);
  };
  window.addEventListener("pointermove", along);
  window.addEventListener("pointerup", end);
  window.addEventListener("pointercancel", end);
  window.addEventListener("keydown", escape, true);
}
