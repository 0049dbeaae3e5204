import { describe, expect, it } from "vitest";
import { counted, inOrder, listed, skillStatus, skillTitle } from "./guidance";

describe("words for the agent", () => {
  it("are counted as Outrider counts them", () => {
    expect(counted("")).toEqual({ characters: 0, words: 0 });
    expect(counted("Don't press 🙂, well-meant!")).toEqual({ characters: 26, words: 3 });
    expect(counted("𝔘nusual\n漢字")).toEqual({ characters: 10, words: 2 });
  });
});

describe("a skill", () => {
  it("is called by words", () => {
    expect(skillTitle({ name: "handling-a-reply" })).toBe("Handling a reply");
  });

  it("says on which occasions it is used", () => {
    expect(listed(["invitation"])).toBe("invitations");
    expect(listed(["invitation", "reply", "assistant"])).toBe("invitations, replies and the assistant");
  });

  it("is used only when it was reviewed and is switched on", () => {
    expect(skillStatus({ review_state: "unreviewed", enabled: true })).toBe("to_be_reviewed");
    expect(skillStatus({ review_state: "reviewed", enabled: false })).toBe("off");
    expect(skillStatus({ review_state: "reviewed", enabled: true })).toBe("in_use");
  });

  it("that waits for the user comes first", () => {
    const rows = [
      { id: "a", review_state: "reviewed", enabled: true },
      { id: "b", review_state: "unreviewed", enabled: false },
      { id: "c", review_state: "reviewed", enabled: false },
    ] as const;
    expect(inOrder(rows).map((row) => row.id)).toEqual(["b", "a", "c"]);
  });
});
