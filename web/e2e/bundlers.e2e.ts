import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { type PreviewServer, preview } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, Person, soon } from "./people";
import { type Room, ServiceUnderTest } from "./service";

const examples = fileURLToPath(new URL("../examples/bundlers", import.meta.url));

let browser: Browser;
let service: ServiceUnderTest;
let site: PreviewServer;
let rooms: { readonly standard: Room; readonly strict: Room };

/** Runs a script of a package, as its README says. */
const run = (directory: string, script: string) =>
  promisify(execFile)("npm", ["run", "--silent", script], { cwd: directory });

/** The pages use the library as it is published, not its source. */
async function buildPages(): Promise<void> {
  await run(fileURLToPath(new URL("../client", import.meta.url)), "build");
  await run(examples, "build");
}

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start(), buildPages()]);
  rooms = {
    standard: await service.makeRoom(),
    strict: await service.makeRoom({ encryption: "strict" }),
  };
  site = await preview({
    root: examples,
    configFile: false,
    logLevel: "error",
    // A request for a missing file gets 404 and not a page.
    appType: "mpa",
    build: { outDir: "." },
    preview: { port: 0, host: "localhost" },
  });
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await site?.close();
  await service?.stop();
});

/** Where each example's page is, once it is built. */
const pages = [
  ["Vite", "vite/dist/"],
  ["esbuild", "esbuild/"],
  ["webpack", "webpack/"],
  ["no bundler", "plain/"],
] as const;

for (const encryption of ["standard", "strict"] as const) {
  test(`pages of every bundler meet in a ${encryption} room`, async () => {
    const ada = await Person.in(browser, "Ada", rooms[encryption].url);
    for (const [bundler, path] of pages) {
      const person = await Person.at(browser, bundler, site.resolvedUrls?.local[0] + path);
      await person.page.getByLabel("Link of the room").fill(rooms[encryption].url);
      await person.page.getByLabel("Your name").fill(bundler);
      await person.page.getByRole("button", { name: "Join" }).click();
      // A page that shows a picture has decrypted it.
      await Promise.all([person.sees("Ada"), ada.sees(bundler)]);
      await person.page.getByRole("status").getByText("connected", { exact: true }).waitFor(soon);
      expect(person.complaints).toEqual([]);
      await person.close();
    }
    await ada.close();
  });
}
