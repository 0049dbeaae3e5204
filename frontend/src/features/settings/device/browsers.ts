import type { BrowserChoices, Option } from "../../../lib/api/generated";

/** What can be chosen: whichever is found, each that is installed, and one that was named by its path. */
export function browserOptions(view: BrowserChoices): Option[] {
  const first = view.installed[0];
  const listed = view.chosen === "" || view.installed.some((browser) => browser.program === view.chosen);
  return [
    { id: "", title: "Automatic", about: first ? `Uses ${first.version}.` : "Uses the first one found." },
    ...view.installed.map((browser) => ({ id: browser.program, title: browser.version, about: browser.program })),
    ...(listed ? [] : [{ id: view.chosen, title: view.used?.version ?? "Cannot be used", about: view.chosen }]),
  ];
}
