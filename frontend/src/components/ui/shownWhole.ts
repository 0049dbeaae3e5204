/**
 * For a question that its button opened: nobody looks for it below the fold, the next Tab leads to its answers, and Escape closes
 * it alone and not the screen around it.
 */
export const shownWhole = (cancel: () => void) => (question: HTMLElement) => {
  question.focus({ preventScroll: true });
  question.scrollIntoView({ block: "nearest" });
  question.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    cancel();
  });
};
