// Puts the script that draws the API reference where the server embeds it: internal/docs/static/.
//
// Only one file of the package is used, a bundle without dependencies. So the package is fetched and
// unpacked alone, instead of being installed with the hundreds of packages it was built from. Its hash
// must be the one in package.json.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const { reference } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const target = fileURLToPath(new URL("../../internal/docs/static/reference.js", import.meta.url));

const dir = mkdtempSync(join(tmpdir(), "conclave-docs-"));
try {
  const packed = execFileSync("npm", ["pack", reference.package, "--json", "--pack-destination", dir], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const archive = join(dir, JSON.parse(packed)[0].filename);
  const hash = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
  if (hash !== reference.integrity) {
    throw new Error(`${reference.package} has the hash ${hash}, package.json says ${reference.integrity}`);
  }
  execFileSync("tar", ["-xzf", archive, "-C", dir, reference.file]);
  const script = readFileSync(join(dir, reference.file));
  writeFileSync(`${target}.gz`, gzipSync(script, { level: 9 }));
  writeFileSync(`${target}.br`, brotliCompressSync(script));
} finally {
  rmSync(dir, { recursive: true, force: true });
}
