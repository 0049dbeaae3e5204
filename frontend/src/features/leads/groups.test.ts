import { expect, it } from "vitest";
import { AT_ONCE, byPriorityBefore, decideInParts, outcomeSentence } from "./groups";

const changed = (id: string, before: number | null = null) => ({ lead_id: id, before, moved_to: "" });

it("decides about many some at a time, and stops between two parts", async () => {
  const ids = Array.from({ length: AT_ONCE * 2 + 5 }, (_, n) => `l${n}`);
  const parts: number[] = [];
  const seen: number[] = [];
  const decide = (some: string[]) => {
    parts.push(some.length);
    return Promise.resolve({ changed: some.slice(1).map((id) => changed(id)), unchanged: 1, texts_withdrawn: 1 });
  };
  await decideInParts(ids, decide, (done, outcome) => seen.push(done, outcome.changed.length), () => false);
  expect(parts).toEqual([AT_ONCE, AT_ONCE, 5]);
  expect(seen.slice(-2)).toEqual([AT_ONCE * 2 + 5, AT_ONCE * 2 + 2]);
  parts.length = 0;
  await decideInParts(ids, decide, () => undefined, () => parts.length === 1);
  expect(parts).toEqual([AT_ONCE]);
});

it("says what became of them", () => {
  const outcome = { changed: [changed("a"), changed("b")], unchanged: 1, withdrawn: 1 };
  expect(outcomeSentence("Skipped", outcome)).toBe("Skipped 2 leads; 1 stays as it is. 1 waiting message was withdrawn.");
  expect(outcomeSentence("Tagged", { changed: [], unchanged: 1, withdrawn: 0 })).toBe("Nothing to do: 1 lead stays as it is.");
});

it("takes priorities back by what each was", () => {
  expect(byPriorityBefore([changed("a"), changed("b", 7), changed("c")])).toEqual([[null, ["a", "c"]], [7, ["b"]]]);
});
