import { expect, test, vi } from "vitest";
import { commands } from "./commands.svelte";

test("a key means what the screen says, whoever offers it last", () => {
  vi.stubGlobal("HTMLElement", class {}); // there is no document here
  const calls: string[] = [];
  const command = (id: string) => [{ id, title: id, group: "", keys: "s", run: () => void calls.push(id) }];
  const pressed = () => commands.press({ key: "s", timeStamp: 0, target: null, preventDefault: () => undefined } as unknown as KeyboardEvent);
  const leave = commands.offer(command("screen"));
  const end = commands.offerBeneath(command("around"));
  pressed();
  leave();
  pressed();
  end();
  pressed();
  expect(calls).toEqual(["screen", "around"]);
});
