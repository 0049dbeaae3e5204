import { describe, expect, it } from "vitest";
import type { AgreementView, SuggestedWeights } from "../../lib/api/generated";
import { arranged, goalNote, moved, pairsNote, pairsTitle, suggestionNote } from "./ranking";

const agreement = (agree: number, disagree: number, same = 0): AgreementView => ({
  agree,
  disagree,
  same,
  share: agree + disagree === 0 ? null : agree / (agree + disagree),
  low: 0.6,
  high: 0.93,
  tau: agree + disagree === 0 ? null : 0.64,
});

describe("an order", () => {
  it("moves one and stays within its ends", () => {
    expect(moved(["a", "b", "c"], "c", 0)).toEqual(["c", "a", "b"]);
    expect(moved(["a", "b", "c"], "a", 1)).toEqual(["b", "a", "c"]);
    expect(moved(["a", "b", "c"], "a", -1)).toEqual(["a", "b", "c"]);
    expect(moved(["a", "b", "c"], "c", 9)).toEqual(["a", "b", "c"]);
  });

  it("stays when the page is read again, without who is gone and with who is new last", () => {
    expect(arranged(["a", "b", "c"], ["c", "x", "a"])).toEqual(["c", "a", "b"]);
  });
});

describe("agreement in words", () => {
  it("says pairs, share, range and tau", () => {
    expect(pairsTitle(agreement(18, 4))).toBe("18 of 22 pairs agree");
    expect(pairsTitle(agreement(1, 0))).toBe("1 of 1 pair agrees");
    expect(pairsNote(agreement(18, 4, 3))).toBe("82 %, probably 60 % to 93 % · Kendall's tau 0.64. 3 more have the same score.");
  });

  it("claims nothing of no pairs", () => {
    expect(pairsTitle(agreement(0, 0))).toBe("No pairs yet");
    expect(pairsTitle(agreement(0, 0, 3))).toBe("Everyone has the same score");
    expect(pairsNote(agreement(0, 0, 3))).toBe("");
    expect(goalNote(agreement(0, 0), 0.8)).toBe("");
  });

  it("is sure only when the whole range is over the goal", () => {
    expect(goalNote(agreement(18, 4), 0.8)).toContain("another round");
    expect(goalNote({ ...agreement(90, 4), low: 0.85 }, 0.8)).toContain("matches your order");
    expect(goalNote(agreement(10, 12), 0.8)).toContain("where you differ");
  });

  it("says why no weights are suggested", () => {
    const few: SuggestedWeights = {
      status: "few",
      pairs: 12,
      fewest_pairs: 40,
      fewest_rounds: 2,
      names: [],
      weights_now: [],
      criteria: [],
      before: agreement(0, 0),
      after: agreement(0, 0),
    };
    expect(suggestionNote(few)).toContain("12 pairs");
    expect(suggestionNote({ ...few, status: "better" })).toBe("");
  });
});
