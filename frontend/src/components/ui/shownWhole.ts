/** For a question that its button opened: nobody looks for it below the fold, and the next Tab leads to its answers. */
export function shownWhole(question: HTMLElement): void {
  question.focus({ preventScroll: true });
  question.scrollIntoView({ block: "nearest" });
}
