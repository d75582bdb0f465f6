import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Budget, compress } from "./compress.js";

let root: string;

/** A page that always loads a picker later. No compression makes either much smaller than this. */
const heavy = 4000;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "conclave-compress-"));
  const weight = () => JSON.stringify(randomBytes(heavy).toString("base64"));
  await mkdir(join(root, "src"));
  await Promise.all([
    writeFile(join(root, "index.html"), '<script type="module" src="/src/page.js"></script>'),
    writeFile(
      join(root, "src/page.js"),
      `document.title = ${weight()};\nimport("./picker.js").then(({ pick }) => pick());\n`,
    ),
    writeFile(
      join(root, "src/picker.js"),
      `export const pick = () => document.body.append(${weight()});\n`,
    ),
  ]);
});

afterEach(() => rm(root, { recursive: true }));

function buildWithin(...budgets: Budget[]) {
  return build({ root, configFile: false, logLevel: "silent", plugins: [compress(budgets)] });
}

const page: Budget = { name: "the page", modules: ["/index.html"], files: [], most: 2 * heavy };
const withPicker: Budget = { ...page, modules: [...page.modules, "/src/picker.js"] };

test("a part within its budget is built", async () => {
  await buildWithin(page, { ...withPicker, most: 4 * heavy });
});

test("a part that exceeds its budget fails the build with its name and its bytes", async () => {
  await expect(buildWithin({ ...page, most: 3000 })).rejects.toThrow(
    /the page weighs [4-7]\d{3} bytes on the wire, of at most 3000/,
  );
});

test("a module that a part loads later counts for the budget that names it", async () => {
  await expect(buildWithin(withPicker)).rejects.toThrow(/the page weighs \d+ bytes/);
});

test("a module that a part loads later may have a budget of its own", async () => {
  const picker: Budget = { ...withPicker, name: "the picker", after: page.name };
  await buildWithin(page, picker);
});

test("a budget for a module that is not built fails the build", async () => {
  await expect(buildWithin({ ...page, modules: ["/src/gone.js"] })).rejects.toThrow(
    "the budget of the page names /src/gone.js, which has no chunk",
  );
});
