import { expect, it } from "vitest";

/** Every source file of the page by its path below `src/`, such as "features/run/Run.svelte". */
const SOURCES = Object.entries(import.meta.glob<string>("./**/*.{ts,svelte}", { query: "?raw", import: "default", eager: true }));

/** Which folders may not be imported from where; a feature never imports another one, nor a basic component one about a noun. */
const FORBIDDEN: Record<string, readonly string[]> = {
  lib: ["components", "features", "shell"],
  components: ["features", "shell"],
  features: ["shell"],
};

/** The path below `src/` that an import names. */
function imported(from: string, specifier: string): string {
  return new URL(specifier, `file:///${from}`).pathname.slice(1);
}

function violations(path: string, text: string): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']*)["']/g)].map((match) => match[1] ?? "");
  const [folder = "", feature = ""] = path.split("/");
  return specifiers
    .map((specifier) => imported(path, specifier))
    .filter((target) => {
      const [targetFolder = "", targetFeature = ""] = target.split("/");
      const otherFeature = folder === "features" && targetFolder === "features" && targetFeature !== feature;
      const isAboutANoun = targetFolder === "components" && targetFeature !== "ui";
      if (path.startsWith("components/ui/") && isAboutANoun) return true;
      return otherFeature || FORBIDDEN[folder]?.includes(targetFolder) === true;
    })
    .map((target) => `${path} imports ${target}`);
}

it("lib knows no screen, features do not know each other, and basic components know no noun", () => {
  expect(SOURCES.length).toBeGreaterThan(100);
  expect(SOURCES.flatMap(([path, text]) => violations(path.slice(2), text))).toEqual([]);
});

it("finds an import that breaks the rule", () => {
  expect(violations("features/run/Run.svelte", 'import { a } from "../tasks/tasks.svelte";')).toHaveLength(1);
  expect(violations("components/ui/Card.svelte", 'import Avatar from "../people/Avatar.svelte";')).toHaveLength(1);
  expect(violations("lib/app/app.svelte.ts", 'const load = () => import("../../shell/Shell.svelte");')).toHaveLength(1);
  expect(violations("features/run/Run.svelte", 'import { b } from "./run.svelte"; import c from "../../lib/c";')).toEqual([]);
});
