import { capitalised } from "./capitalised";

/** What a step is called, as the sequence in force has it; one that was removed since goes by its key: "Follow up". */
export const stepTitle = (key: string, titles: Readonly<Record<string, string>> = {}): string =>
  titles[key] ?? capitalised(key.replaceAll("_", " "));
