import { expect, it } from "vitest";
import type { Device, HealthCheck } from "../../../lib/api/generated";
import { addressOf, asSentence, inOrder, statusHere, toDoFirst, wrongAddress, wrongFields, wrongKey } from "./project";

const token = (claims: object) => `eyJhbGciOiJIUzI1NiJ9.${btoa(JSON.stringify(claims)).replaceAll("=", "")}.sig`;

it.each([
  [" https://abcdefgh.supabase.co/ ", "https://abcdefgh.supabase.co"],
  ["https://supabase.com/dashboard/project/abcdefghijkl/settings/api", "https://abcdefghijkl.supabase.co"],
  ["https://abcdefgh.supabase.co/rest/v1/", "https://abcdefgh.supabase.co"],
  ["https://store.example.org:8443/base", "https://store.example.org:8443/base"],
])("understands %s as %s", (typed, meant) => expect(addressOf(typed)).toBe(meant));

it("says what is wrong with an address", () => {
  expect(["", "https://abcdefgh.supabase.co", "http://127.0.0.1:54321", "http://localhost:54321"].map(wrongAddress)).toEqual(["", "", "", ""]);
  expect(wrongAddress("postgresql://postgres:pw@db.abc.supabase.co:5432/postgres")).toContain("database's own address");
  expect(wrongAddress("http://abc.supabase.co")).toContain("not safe over http");
  expect(wrongAddress("http://localhost.example.org")).toContain("not safe over http");
  expect(wrongAddress("abc.supabase.co")).toContain("must begin with https://");
  expect(wrongAddress("https://two words")).toContain("not an address");
});

it("refuses a secret key before it goes anywhere, in the older form and in the newer", () => {
  expect(["", "sb_publishable_abc", token({ role: "anon" }), "anything"].map(wrongKey)).toEqual(["", "", "", ""]);
  for (const secret of ["sb_secret_abc", "sbp_abc", ` ${token({ role: "service_role", name: "ä?>" })} `]) expect(wrongKey(secret)).toContain("secret key");
  expect(wrongKey("https://abc.supabase.co")).toContain("address");
  expect(wrongKey("two words")).toContain("without spaces");
});

it("says beside its field what a check found or the project answered", () => {
  const typed = { url: "https://abc.supabase.co", key: "k" };
  const lines: HealthCheck[] = [
    { code: "project_address", status: "ok", said: "It answers.", remedy: "" },
    { code: "project_key", status: "fail", said: "It does not accept the key.", remedy: "Copy it again." },
    { code: "project_schema", status: "fail", said: "It is not prepared.", remedy: "Push." },
  ];
  expect(wrongFields(typed, lines, null)).toEqual({ url: "", key: "It does not accept the key. Copy it again." });
  expect(wrongFields(typed, [], { code: "sign_in_wrong", sentence: "Wrong.", remedy: "Again." })).toMatchObject({ password: "Wrong. Again." });
  expect(wrongFields({ ...typed, key: "sb_secret_x" }, lines, null).key).toContain("secret");
  expect(Object.values(wrongFields(typed, [], { code: "sign_in_closed", sentence: "Closed.", remedy: "" })).filter(Boolean)).toEqual([]);
});

it("writes a finding as a sentence and a host as it is", () => {
  expect(["the key is accepted", "abc.supabase.co answers", "Outrider's schema is there"].map(asSentence)).toEqual(["The key is accepted", "abc.supabase.co answers", "Outrider's schema is there"]);
});

it("shows this device first and those without access last", () => {
  const device = (id: string, joined_at: number, here = false, revoked_at: number | null = null): Device => ({ id, name: id, joined_at, revoked_at, here, fingerprint: "" });
  expect(inOrder([device("lost", 1, false, 9), device("b", 3), device("a", 2), device("here", 4, true)]).map((device) => device.id)).toEqual(["here", "a", "b", "lost"]);
});

it("says what to do before a project is attached, the passphrase first", () => {
  expect(toDoFirst(false, false)).toBe("");
  expect(toDoFirst(true, false)).toMatch(/^A campaign is running/);
  expect(toDoFirst(true, true)).toMatch(/^Choose a passphrase/);
});

it("does not call a device in sync whose access was revoked", () => {
  const device: Device = { id: "d", name: "Desk", joined_at: 1, revoked_at: null, here: true, fingerprint: "" };
  expect(statusHere("In sync", [device])).toBe("In sync");
  expect(statusHere("In sync", [{ ...device, here: false, revoked_at: 2 }])).toBe("In sync");
  expect(statusHere("In sync", [{ ...device, revoked_at: 2 }])).toMatch(/revoked/);
});
