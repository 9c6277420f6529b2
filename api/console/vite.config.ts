import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  base: "/console/",
  plugins: [react()],
  // The API puts the nonce of the answer in its place, see api/http/console.py.
  html: { cspNonce: "NONCE-OF-THE-ANSWER" },
  build: {
    outDir: "built",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
    // What nearly every screen needs comes in two files, so that the first page takes few requests.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "packages", test: /node_modules\/(?!uplot)/ },
            { name: "shared", test: /src\/(api|parts|pure|session|text|styles)\// },
          ],
        },
      },
    },
  },
});
