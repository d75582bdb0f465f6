// Puts what the pages of internal/docs load where the server embeds it: internal/docs/static/.
//
// reference.js draws the API reference. Only one file of its package is used, a bundle without
// dependencies. So the package is fetched and unpacked alone, instead of being installed with the
// hundreds of packages it was built from. Its hash must be the one in package.json.
//
// look.css and inter.woff2 are the colours and the font of the interface, so that the pages look like
// the rest of the product.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const target = (name) => fileURLToPath(new URL(`../../internal/docs/static/${name}`, import.meta.url));

/** Writes a file as it travels: the compressed variants only, so that the program stays small. */
function writeCompressed(name, content) {
  writeFileSync(target(`${name}.gz`), gzipSync(content, { level: 9 }));
  writeFileSync(target(`${name}.br`), brotliCompressSync(content));
}

function fetchReference() {
  const { reference } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
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
    return readFileSync(join(dir, reference.file));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The rule that loads the letters of English; the package has one for each group of scripts. */
function fontRule() {
  const rules = readFileSync(require.resolve(`${font}/wght.css`), "utf8").split("/* ");
  const rule = rules.find((text) => text.startsWith("inter-latin-wght-normal "));
  if (!rule) throw new Error(`${font} has no rule for the Latin letters`);
  return rule.slice(rule.indexOf("@font-face")).replace(/url\([^)]*\)/, "url(/docs/static/inter.woff2)");
}

const require = createRequire(import.meta.url);
const font = "@fontsource-variable/inter";
const tokens = readFileSync(new URL("../ui/src/tokens.css", import.meta.url), "utf8");

writeCompressed("reference.js", fetchReference());
writeCompressed("look.css", `${fontRule()}\n${tokens}`);
copyFileSync(require.resolve(`${font}/files/inter-latin-wght-normal.woff2`), target("inter.woff2"));
