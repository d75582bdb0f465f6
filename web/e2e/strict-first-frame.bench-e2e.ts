import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, Person, untilDecoded } from "./people";
import { ServiceUnderTest } from "./service";

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** A person comes into the meeting: when they see the other, and when the other sees them. */
async function come(host: Person, url: string): Promise<{ sees: number; seen: number }> {
  const person = await Person.at(browser, "Newcomer", url);
  await person.page.getByRole("textbox", { name: "Your name" }).fill("Newcomer");
  await person.page.waitForTimeout(2000); // a person reads the page first
  const decoded = untilDecoded(person.page);
  const before = await host.framesDecoded();
  const began = performance.now();
  await person.page.getByRole("button", { name: "Join now" }).click();
  while ((await host.framesDecoded()) <= before) await host.page.waitForTimeout(5);
  const seen = performance.now() - began;
  const sees = await decoded;
  await person.close();
  return { sees, seen };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

test("from Join now to the first decoded frame, in a strict room and in a standard one", async () => {
  const rounds = 7;
  const kinds = ["strict", "standard"] as const;
  const times = { strict: [] as number[], standard: [] as number[] };
  const seen = { strict: [] as number[], standard: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    for (const kind of kinds) {
      const room = await service.makeRoom({ encryption: kind });
      const host = await Person.in(browser, "Host", room.url);
      await host.page.waitForTimeout(1000); // publishing
      const took = await come(host, room.url);
      times[kind].push(took.sees);
      seen[kind].push(took.seen);
      await host.close();
    }
  }
  for (const [what, measured] of [
    ["sees", times],
    ["is seen", seen],
  ] as const) {
    const [a, b] = [median(measured.strict), median(measured.standard)];
    process.stdout.write(
      `until a newcomer ${what}: strict ${a.toFixed(0)} ms, standard ${b.toFixed(0)} ms, ` +
        `ratio ${(a / b).toFixed(2)}\n` +
        kinds.map((k) => `  ${k} ${measured[k].map((t) => t.toFixed(0)).join(" ")}\n`).join(""),
    );
  }
  expect([...times.strict, ...times.standard].every(Number.isFinite)).toBe(true);
});
