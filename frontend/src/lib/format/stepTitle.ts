import { capitalised } from "./capitalised";

const ANSWER = "answer:";

/**
 * What a step is called, as the sequence in force has it; one that was removed since goes by its key: "Follow up". What the user
 * answers is no step.
 */
export const stepTitle = (key: string, titles: Readonly<Record<string, string>> = {}): string =>
  key.startsWith(ANSWER) ? "Your answer" : (titles[key] ?? capitalised(key.replaceAll("_", " ")));
