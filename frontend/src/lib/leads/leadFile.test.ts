import { expect, it } from "vitest";
import { addressHint, counted, duplicateWords, encodingTitle, EVERYBODY, fieldTitle, forecastWords, isFiltering, matchWords, namesToCheck, peopleWords, mappingOf, readAs, takesNobody, undoneWords } from "./leadFile";

const column = (name: string, field: string | null) => ({ name, field, samples: [], understood_as: "" });

it("names the column of each field that is read", () => {
  expect(mappingOf([column("Who", "full_name"), column("Age", null)])).toEqual({ full_name: "Who" });
});

it("gives a column one field and a field one column", () => {
  const mapping = { full_name: "Who", company: "Firm" };
  expect(readAs(mapping, "Firm", "full_name")).toEqual({ full_name: "Firm" });
  expect(readAs(mapping, "Mail", "email")).toEqual({ ...mapping, email: "Mail" });
  expect(readAs(mapping, "Who", "")).toEqual({ company: "Firm" });
});

const none = { ready: 0, without_profile: 0, duplicates: 0, known: 0, elsewhere: 0, in_touch: 0, forbidden: 0 };

it("says how many people there are, who is left out, and whether that is all", () => {
  const read = { usable: true, good: 10, bad: 0, whole: true, forecast: none };
  expect(counted({ ...read, good: 1 })).toBe("1 person");
  expect(counted({ ...read, forecast: { ...none, duplicates: 1 } })).toBe("9 people, 1 duplicate left out");
  expect(counted({ ...read, bad: 1, forecast: { ...none, duplicates: 2 } })).toBe("8 people, 2 duplicates left out, 1 rejected");
  expect(counted({ ...read, good: 1_999, bad: 1, whole: false })).toBe("1,999 people among the first rows, 1 rejected");
  expect(counted({ ...read, usable: false })).toBe("Choose the column with the name");
});

it("says how many rows are of somebody who came before, and how many of them are shown", () => {
  const row = { line: 3, full_name: "Ann", of_line: 2, of_name: "Ann" };
  expect(duplicateWords({ duplicates: [row], forecast: { ...none, duplicates: 1 }, whole: true })).toBe("1 row is of somebody who is in the file already");
  expect(duplicateWords({ duplicates: [row], forecast: { ...none, duplicates: 120 }, whole: false })).toBe(
    "120 rows are of somebody who is in the file already, among the first rows, the first 1 here",
  );
});

it("says how many people a filter takes and leaves out, and when it takes nobody", () => {
  const read = { good: 44, filtered_out: 77, whole: true, forecast: { ...none, duplicates: 1 } };
  expect(matchWords(read)).toBe("43 of 120 people match. 77 left out by your filter.");
  expect(matchWords({ ...read, good: 2, filtered_out: 0 })).toBe("1 of 1 person matches.");
  expect(matchWords({ ...read, whole: false })).toBe("43 of 120 people among the first rows match. 77 left out by your filter.");
  expect(takesNobody({ ...read, good: 0 })).toBe(true);
  expect([takesNobody(read), takesNobody({ ...read, good: 0, filtered_out: 0 }), takesNobody({ ...read, good: 0, whole: false })]).toEqual([false, false, false]);
  expect([EVERYBODY, { ...EVERYBODY, title: " " }, { ...EVERYBODY, tag: "VIP" }, { ...EVERYBODY, not_in_touch: true }].map(isFiltering)).toEqual([false, false, true, true]);
});

it("says what undoing an import means, and only what there is", () => {
  expect(undoneWords({ taken_back: 38, kept: 0, restored: 0, unlisted: 0 })).toBe("38 people removed");
  expect(undoneWords({ taken_back: 1, kept: 2, restored: 3, unlisted: 4 })).toBe(
    "1 person removed, 2 kept: contacted, or not to be contacted, 3 people as before the file, 4 entries off the do-not-contact list",
  );
});

it("calls a field as people do, and a further column by its own name", () => {
  expect([fieldTitle("job_title"), fieldTitle("Industry")]).toEqual(["Title", "Industry"]);
});

it("says before an import what would become of the people, and calls no address that cannot be read a missing one", () => {
  expect(forecastWords({ ...none, ready: 2, without_profile: 1, duplicates: 1, elsewhere: 1 })).toEqual([
    "2 ready",
    "1 without a usable profile address",
    "1 duplicate",
    "1 already in another campaign",
  ]);
  expect(forecastWords({ ...none, duplicates: 2 })).toEqual(["2 duplicates"]);
});

it("says with which campaigns a file's people are, and that they may be known", () => {
  expect(peopleWords({ with_campaigns: {}, in_touch: 0, asked: 0 }, true)).toEqual([]);
  expect(peopleWords({ with_campaigns: { Water: 1 }, in_touch: 2, asked: 3 }, true)).toEqual([
    "1 person is with “Water”: left there, unless you decide otherwise on their page.",
    "2 people were contacted by another campaign before.",
    "3 people may be the same as somebody else, in the file or in your campaigns: you will be asked, and nothing goes to them until then.",
  ]);
});

it("names an encoding as people do", () => {
  expect(["utf-16-le", "utf-8", "", "latin_x"].map(encodingTitle)).toEqual(["UTF-16", "UTF-8", "Not known", "latin_x"]);
});

it("says what to do when nobody has a profile address", () => {
  expect(addressHint({ ready: 0, without_profile: 2 })).toContain("Choose the column that holds it");
  expect(addressHint({ ready: 1, without_profile: 2 })).toBe("");
  expect(addressHint({ ready: 0, without_profile: 0 })).toBe("");
});

it("says how many names leave their greeting open, and of how many that is", () => {
  const sample = { line: 2, full_name: "J. Smith", job_title: "", company: "", email: "", profile_url: "", connected_on: "", greeted: "", more: {} };
  expect(namesToCheck({ lacking: { first_name: 1 }, unsure: [sample], whole: true })).toBe("1 name to check");
  expect(namesToCheck({ lacking: { first_name: 300 }, unsure: [sample, sample], whole: false })).toBe("300 names to check among the first rows, the first 2 here");
});
