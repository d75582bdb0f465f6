import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, Person, soon } from "./people";
import { clapsBetween, playClapper } from "./played-clapper";
import { claps, RecordedFile, readyRecording } from "./recorded-file";
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

/** For how long the encoder of a slow computer is busy with one picture, in milliseconds. */
const slow = 150;
const slowEncoder = `{
  const encode = VideoEncoder.prototype.encode;
  VideoEncoder.prototype.encode = function (...args) {
    const end = performance.now() + ${slow};
    while (performance.now() < end);
    return encode.apply(this, args);
  };
}`;

test("a slow computer records fewer pictures and all of the sound", async () => {
  const room = await service.makeRoom();
  const host = await Person.in(browser, "Hedy", await service.invite(room, "Hedy", "host"));
  const guest = await Person.in(browser, "Bob", room.url, {
    prepare: (page) => page.addInitScript(playClapper),
  });
  await host.control("Mute").click();
  await host.sees("Bob");
  await host.page.context().route(/recording-worker.*\.js/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${slowEncoder}\n${await response.text()}` });
  });
  const isStored = host.page.waitForResponse(/\/parts\/0\?/, { timeout: soon.timeout + 15_000 });
  await host.control("Record").click();
  await host.told("Recording").waitFor(soon);
  await isStored;
  await host.control("Stop recording").click();
  const stopped = Date.now();
  const file = await RecordedFile.fetch(service, await readyRecording(service, room));
  expect(await file.faults()).toBe("");
  const times = await file.pictureTimes();
  const seconds = times.at(-1) ?? 0;
  expect(times.length / seconds).toBeLessThan(1000 / slow);
  expect(Math.abs((await file.soundSeconds()) - seconds)).toBeLessThan(0.2);
  // One clap in a second, from the first to the last, or as many as the guest's page made.
  const made = await clapsBetween(guest.page, stopped - seconds * 1000, stopped);
  expect(made).toBeGreaterThan(seconds / 2);
  const heard = claps(await file.sound());
  expect(Math.abs(heard.length - made)).toBeLessThan(3);
  await file.delete();
  await Promise.all([host.close(), guest.close()]);
});
