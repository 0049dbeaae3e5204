import { tick } from "svelte";

/** Do what was chosen in a field. What could not be done does not stay chosen: the field shows what holds, as `holds` says. */
export async function choosing(
  event: { currentTarget: HTMLSelectElement },
  choose: (value: string) => Promise<unknown>,
  holds: () => string,
): Promise<void> {
  const select = event.currentTarget;
  await choose(select.value);
  await tick();
  select.value = holds();
}
