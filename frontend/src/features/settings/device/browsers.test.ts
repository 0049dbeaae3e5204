import { expect, test } from "vitest";
import { browserOptions } from "./browsers";

const CHROMIUM = { program: "/usr/bin/chromium", version: "Chromium 141.0" };
const VIEW = { installed: [CHROMIUM], chosen: "", fixed: false, used: CHROMIUM, problem: null };

test("the first that is found is used by itself, and each can be chosen", () => {
  expect(browserOptions(VIEW)).toEqual([
    { id: "", title: "Automatic", about: "Uses Chromium 141.0." },
    { id: "/usr/bin/chromium", title: "Chromium 141.0", about: "/usr/bin/chromium" },
  ]);
});

test("one that was named by its path stays chosen, also when it is gone", () => {
  const browser = { program: "/opt/mine", version: "Chromium 99" };
  expect(browserOptions({ ...VIEW, chosen: browser.program, used: browser })[2]).toEqual({ id: "/opt/mine", title: "Chromium 99", about: "/opt/mine" });
  expect(browserOptions({ ...VIEW, chosen: browser.program, used: null })[2]?.title).toBe("Cannot be used");
});
