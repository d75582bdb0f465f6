import { fileURLToPath } from "node:url";
import type { ArrivalNote, ArrivalStep } from "@conclave/client/arrival/steps";
import type { Page } from "playwright-core";
import { build, type Rolldown } from "vite";

/** The worker of the media library, at any address. */
const encryptionWorker = "*e2ee*worker*";

/** One script of the trace with everything it imports. */
async function bundled(name: "install" | "in-worker"): Promise<string> {
  const entry = fileURLToPath(new URL(`../client/src/arrival/${name}.ts`, import.meta.url));
  const built = (await build({
    configFile: false,
    logLevel: "error",
    build: {
      write: false,
      minify: false,
      lib: { entry, formats: ["iife"], name: "arrival", fileName: name },
    },
  })) as Rolldown.RolldownOutput[];
  const [script] = built.flatMap(({ output }) => output);
  if (script?.type !== "chunk") throw new Error(`${name} was not bundled`);
  return script.code;
}

let scripts: Promise<readonly [string, string]> | null = null;

/**
 * Traces the arrivals on a page, from its own point of view and from that of its worker. Use as
 * `prepare` of a person.
 */
export async function traceArrival(page: Page): Promise<void> {
  scripts ??= Promise.all([bundled("install"), bundled("in-worker")]);
  const [install, inWorker] = await scripts;
  await page.addInitScript({ content: install });
  await putBefore(page, encryptionWorker, inWorker);
}

/** Puts a script before those with a matching address. Other requests do not wait for the test. */
async function putBefore(page: Page, urlPattern: string, script: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Fetch.enable", { patterns: [{ urlPattern, requestStage: "Response" }] });
  session.on("Fetch.requestPaused", ({ requestId, responseStatusCode, responseHeaders }) => {
    const answer = async () => {
      if (responseStatusCode !== 200) {
        await session.send("Fetch.continueRequest", { requestId });
        return;
      }
      const { body, base64Encoded } = await session.send("Fetch.getResponseBody", { requestId });
      const code = Buffer.from(body, base64Encoded ? "base64" : "utf8");
      const isOfBody = (name: string) => /^content-(length|encoding)$/i.test(name);
      await session.send("Fetch.fulfillRequest", {
        requestId,
        responseCode: 200,
        responseHeaders: (responseHeaders ?? []).filter(({ name }) => !isOfBody(name)),
        body: Buffer.concat([Buffer.from(inWorkersOnly(script)), code]).toString("base64"),
      });
    };
    answer().catch(() => {}); // the page was closed meanwhile
  });
}

/** Development servers also send pages a module with such an address. */
function inWorkersOnly(script: string): string {
  return `if (typeof document === "undefined") {\n${script}\n}\n`;
}

/** What a page has noted since a moment, with the time since then, in order. */
export async function notesSince(page: Page, moment: number): Promise<readonly ArrivalNote[]> {
  const notes = await page.evaluate(() => window.arrival);
  return notes
    .filter(({ at }) => at >= moment)
    .map((note) => ({ ...note, at: note.at - moment }))
    .sort((one, other) => one.at - other.at);
}

/** When each step was taken first. */
export function firsts(notes: readonly ArrivalNote[]): Partial<Record<ArrivalStep, number>> {
  const found: Partial<Record<ArrivalStep, number>> = {};
  for (const { step, at } of notes) found[step] ??= at;
  return found;
}
