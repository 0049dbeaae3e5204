import { describe, expect, it } from "vitest";
import { changeWord, exportSummary } from "./exportSummary";

const none = { people: 3, replies: 0, confirmed: 0, settled: 0, accepted: 0, contradictions: 0 };

describe("what an export changed", () => {
  it("is counted in words", () => {
    expect(exportSummary({ ...none, replies: 2, confirmed: 3, contradictions: 1 })).toBe("2 replies, 3 confirmed, 1 contradiction");
    expect(exportSummary(none)).toBe("Nothing new");
    expect(exportSummary({ ...none, people: 0 })).toBe("None of your people are in it");
    expect(changeWord("accepted")).toBe("invitation accepted");
  });
});
