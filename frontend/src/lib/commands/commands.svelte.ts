import { SEQUENCE, startsSequence, findCommand, keyName } from "./shortcuts";
import type { Command } from "./shortcuts";

/** What can be done from where the user is: screens add theirs while they are shown; keys, palette and help read this. */
class Commands {
  list = $state.raw<readonly Command[]>([]);
  /** The same, outside of Svelte: an effect that is taken down reads state as it was, and would drop what was just added. */
  private offered: readonly Command[] = [];
  private before: string | null = null;
  private since = 0;

  /** Offer commands until the returned function is called: `$effect(() => commands.offer([...]))`. */
  offer(commands: readonly Command[]): () => void {
    this.list = this.offered = [...this.offered, ...commands];
    return () => this.takeBack(commands);
  }

  /** The same for what stands around the screens: where a screen gives a key another meaning, the screen's is meant. */
  offerBeneath(commands: readonly Command[]): () => void {
    this.list = this.offered = [...commands, ...this.offered];
    return () => this.takeBack(commands);
  }

  private takeBack(commands: readonly Command[]): void {
    this.list = this.offered = this.offered.filter((command) => !commands.includes(command));
  }

  /** The window's key handler; without `characters` no character by itself means anything. */
  press(event: KeyboardEvent, characters = true): void {
    if (event.defaultPrevented) return;
    const before = event.timeStamp - this.since < SEQUENCE ? this.before : null;
    const typing = isTyping(event.target) || isPressed(event);
    const command = findCommand(this.list, event, before, typing, characters);
    const key = keyName(event);
    this.before = key !== null && !typing && characters && before === null && startsSequence(this.list, key) ? key : null;
    this.since = event.timeStamp;
    if (command === null) return;
    event.preventDefault();
    this.before = null;
    command.run();
  }
}

/** Whether keys belong to what has the focus: a field, or an open dialog or menu. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest("input:not([type=checkbox]), textarea, select, [contenteditable], [role=dialog], [role=menu]") !== null
  );
}

/** Whether the key presses what has the focus. Enter on the row that is chosen opens that, as the screen's own Enter does. */
function isPressed({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (key === "Enter") return target.closest("button, a, summary, [role=button]")?.matches("[aria-current=true], [aria-current=step]") === false;
  return key === " " && target.closest("button, a, input[type=checkbox], summary, [role=button], [role=tab], [role=option]") !== null;
}

export const commands = new Commands();
