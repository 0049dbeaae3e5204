/** Let Enter press the buttons in here, where the screen's own Enter means something else. For `{@attach ownEnter}`. */
export function ownEnter(node: HTMLElement): () => void {
  const keep = (event: KeyboardEvent) => {
    if (event.key === "Enter" && event.target instanceof HTMLElement && event.target.closest("button, a, input") !== null) event.stopPropagation();
  };
  node.addEventListener("keydown", keep);
  return () => node.removeEventListener("keydown", keep);
}
