// Lays beside each built file what it is compressed by brotli and by gzip, so that no answer is compressed while
// somebody waits.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const folder = join(import.meta.dirname, "..", "built", "assets");
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };

for (const name of readdirSync(folder)) {
  const path = join(folder, name);
  const plain = readFileSync(path);
  writeFileSync(`${path}.br`, brotliCompressSync(plain, brotli));
  writeFileSync(`${path}.gz`, gzipSync(plain, { level: 9 }));
}
