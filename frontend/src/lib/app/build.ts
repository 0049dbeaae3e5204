/** What a page does that is of another build than the one that is served now: nothing typed may be lost. */
export function actionForBuild(loaded: string, served: string, typed: boolean): "go on" | "reload" | "offer" {
  // A page that does not know its build (as in development) is never stale.
  if (loaded === "" || served === "" || loaded === served) return "go on";
  return typed ? "offer" : "reload";
}

export type Field = { type: string; value: string; readOnly: boolean };

const TEXTS = new Set(["text", "textarea", "search", "email", "url", "number", "password"]);

/** Whether a person has something in a field that loading the page again would throw away. */
export const hasTyped = (fields: Iterable<Field>): boolean =>
  [...fields].some((field) => TEXTS.has(field.type) && !field.readOnly && field.value.trim() !== "");
