/** For a disclosure that a state opens: once open it is the user's, and the end of the state does not close it under their hands. */
export const openedBy = (state: boolean) => (disclosure: HTMLDetailsElement) => {
  if (state) disclosure.open = true;
};
