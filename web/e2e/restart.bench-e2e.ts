import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, Person, soon } from "./people";
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

test("people see each other again within ten seconds after a killed service is back", async () => {
  const rounds = 5;
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  const bob = await Person.in(browser, "Bob", room.url);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await Promise.all([ada.sees("Bob"), bob.sees("Ada")]);
    await service.kill();
    for (const person of [ada, bob]) await person.told("Reconnecting...").waitFor(soon);
    await service.up();
    const restarted = performance.now();
    await Promise.all([ada.sees("Bob"), bob.sees("Ada")]);
    times.push(performance.now() - restarted);
  }
  process.stdout.write(
    `back after a kill, ${rounds} rounds: ${times.map((time) => time.toFixed(0)).join(" ")} ms\n`,
  );
  expect(Math.max(...times)).toBeLessThan(10_000);
  await Promise.all([ada.close(), bob.close()]);
});

test("people see each other again within ten seconds after the media server was killed", async () => {
  const rounds = 5;
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  const bob = await Person.in(browser, "Bob", room.url);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await Promise.all([ada.sees("Bob"), bob.sees("Ada")]);
    const backAgain = await Promise.all([ada.seesAnew("Bob"), bob.seesAnew("Ada")]);
    service.killMediaServer();
    const killed = performance.now();
    await Promise.all(backAgain.map((isBack) => isBack()));
    times.push(performance.now() - killed);
    // Otherwise the service suspects them of crashing it, and keeps them out for a while.
    await service.kill();
    await service.up();
  }
  process.stdout.write(
    `back after the media server was killed, ${rounds} rounds: ${times.map((time) => time.toFixed(0)).join(" ")} ms\n`,
  );
  expect(Math.max(...times)).toBeLessThan(10_000);
  await Promise.all([ada.close(), bob.close()]);
});
