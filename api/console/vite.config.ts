import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

// The API puts the nonce of the answer in its place, see api/http/console.py.
const NONCE = "NONCE-OF-THE-ANSWER";

export default defineConfig({
  base: "/console/",
  plugins: [react(), stylesInThePage()],
  html: { cspNonce: NONCE },
  build: {
    outDir: "built",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
    // Few requests make a first page: what screens share is one file, and each screen another.
    cssCodeSplit: false,
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "console", test: /node_modules\/(?!uplot)|src\/(main|\w+\/\w+\.ts|(?!screens)\w+\/)/ },
            { name: screenOf, debugName: "screens", test: /src\/screens\/\w+\/.*\.tsx$/ },
          ],
        },
      },
    },
  },
});

// All pages of a screen in one file: they have much in common.
function screenOf(id: string): string | null {
  return /src\/screens\/(\w+)\//.exec(id)?.[1] ?? null;
}

// All styles, so that nothing is fetched before the page can be drawn.
function stylesInThePage(): Plugin {
  const link = /<link rel="stylesheet"[^>]* href="[^"]*\/(assets\/[\w.-]+\.css)"[^>]*>/;
  return {
    name: "styles-in-the-page",
    enforce: "post",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle = {} }) {
        const [tag = "", name = ""] = link.exec(html) ?? [];
        const file = bundle[name];
        if (file?.type !== "asset") return html;
        delete bundle[name];
        return html.replace(tag, () => `<style nonce="${NONCE}">${file.source}</style>`);
      },
    },
  };
}
