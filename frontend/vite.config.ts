import { svelte } from "@sveltejs/vite-plugin-svelte";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [tailwindcss(), svelte()],
  base: "./",
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    // The page's CSP allows scripts, styles and fonts from its own origin only: nothing is inlined.
    assetsInlineLimit: 0,
    // For the notices of the packaged app: whose work is in the page, and under which terms.
    license: true,
    modulePreload: { polyfill: false },
  },
  // Pure functions, which leave nothing behind: a fresh engine for each of the many files would cost more than all tests.
  test: { include: ["src/**/*.test.ts"], isolate: false, unstubGlobals: true },
});
