// Copies Swagger UI, which the API loads into its page /docs, beside the console; see api/openapi/page.py.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";

const source = join(import.meta.dirname, "node_modules", "swagger-ui-dist");
const folder = join(import.meta.dirname, "built", "reference");
const files = [
  "swagger-ui-bundle.js",
  "swagger-ui.css",
  "favicon-32x32.png",
  "swagger-ui-bundle.js.LICENSE.txt",
  "LICENSE",
  "NOTICE",
];

mkdirSync(folder);
for (const name of files) copyFileSync(join(source, name), join(folder, name));
