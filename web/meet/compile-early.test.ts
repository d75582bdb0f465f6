import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, type Rolldown } from "vite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { compileEarly } from "./compile-early.js";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "conclave-compile-early-"));
  await mkdir(join(root, "src"));
  await Promise.all([
    writeFile(join(root, "index.html"), '<script type="module" src="/src/page.js"></script>'),
    writeFile(join(root, "src/page.js"), 'import("./call.js").then(({ call }) => call());\n'),
    writeFile(
      join(root, "src/call.js"),
      'export const call = () => import("./more.js").then(({ more }) => more());\n',
    ),
    writeFile(join(root, "src/more.js"), 'export const more = () => document.title = "more";\n'),
  ]);
});

afterEach(() => rm(root, { recursive: true }));

async function firstLines(...modules: RegExp[]): Promise<Record<string, string>> {
  const built = (await build({
    root,
    configFile: false,
    logLevel: "silent",
    plugins: [compileEarly(modules)],
  })) as Rolldown.RolldownOutput;
  const chunks = built.output.filter((output) => output.type === "chunk");
  return Object.fromEntries(chunks.map(({ name, code }) => [name, code.split("\n")[0] ?? ""]));
}

test("the hint is the first line of the chunks with the named modules, and of no others", async () => {
  const lines = await firstLines(/src.call\.js$/);
  expect(lines["call"]).toBe("//# allFunctionsCalledOnLoad");
  expect(lines["index"]).not.toContain("allFunctionsCalledOnLoad");
  expect(lines["more"]).not.toContain("allFunctionsCalledOnLoad");
});

test("a module that is in no chunk fails the build", async () => {
  await expect(firstLines(/renamed\.js$/)).rejects.toThrow("no chunk contains /renamed");
});
