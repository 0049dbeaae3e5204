import { getContext, setContext } from "svelte";

type Titles = Readonly<Record<string, string>>;
const KEY = Symbol("step titles");

/** For all that a campaign's screen is made of: what its steps are called. To be called while a component is set up. */
export const provideStepTitles = (titles: () => Titles): void => void setContext(KEY, titles);

/** What the steps of the campaign around this component are called, by their keys; to be called while it is set up. */
export const stepTitlesHere = (): (() => Titles) => getContext<(() => Titles) | undefined>(KEY) ?? (() => ({}));
