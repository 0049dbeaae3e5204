import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

/** @type {import("@sveltejs/vite-plugin-svelte").SvelteConfig} */
export default {
  preprocess: vitePreprocess(),
  // `injected` would write <style> elements at run time, which the page's CSP refuses.
  compilerOptions: { runes: true, css: "external" },
};
