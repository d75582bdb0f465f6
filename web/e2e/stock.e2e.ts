import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Counters } from "./page-counters";
import { openBrowser, Person, soon } from "./people";
import { ServiceUnderTest } from "./service";
import { type Credentials, StockSite } from "./stock-site";

let browser: Browser;
let service: ServiceUnderTest;
let site: StockSite;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
  site = await StockSite.start();
});

afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await service?.stop();
});

interface People {
  readonly data: readonly { readonly audio_muted: boolean; readonly video_muted: boolean }[];
}

async function stockPerson(credentials: Credentials): Promise<Person> {
  const person = await site.open(browser);
  await person.page.evaluate((given) => window.enterStock(given), credentials);
  return person;
}

test("LiveKit's unmodified client meets ours with a media token", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  const credentials = await service.call<Credentials>("POST", `/rooms/${room.id}/tokens`, {
    name: "Stock",
  });
  const stock = await stockPerson(credentials);
  await stock.page.waitForFunction(() => window.firstFrame !== null, undefined, soon);
  await Promise.all([ada.sees("Stock"), ada.hears()]);
  // A damaged frame is an error too; with the right key, decoding goes on after it.
  const look = async () => {
    const errors = await stock.page.evaluate(() => window.stockErrors.length);
    return { errors, frames: await stock.framesDecoded() };
  };
  let last = await look();
  const decodedSince = async () => {
    const now = await look();
    if (now.errors !== last.errors) last = now;
    return now.frames - last.frames;
  };
  await expect.poll(decodedSince, soon).toBeGreaterThan(10);
  await Promise.all([ada.close(), stock.close()]);
});

test("with a wrong passphrase it decodes nothing, and gets an error", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  const credentials = await service.call<Credentials>("POST", `/rooms/${room.id}/tokens`, {
    name: "Stock",
  });
  const stock = await stockPerson({ ...credentials, e2ee_passphrase: "x".repeat(43) });
  await expect
    .poll(() => stock.page.evaluate(() => window.stockErrors.length), soon)
    .toBeGreaterThan(0);
  expect(await stock.page.evaluate(() => window.firstFrame)).toBeNull();
  await Promise.all([ada.close(), stock.close()]);
});

test("at most eight tracks of a person who publishes too many are taken", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  const [flooder, accomplice] = await Promise.all([guest("Flooder"), guest("Accomplice")]);
  await flooder.page.evaluate(() => window.publishAgain(12));
  // Each count waits until the accomplice has received all these microphones. One that comes before
  // Ada has received hers says nothing, so the largest of three counts.
  const look = async () => {
    const before = await Promise.all([ada.soundTracks(), accomplice.soundTracks()]);
    const taken = async () => grown(before[1], await accomplice.soundTracks());
    await expect.poll(taken, soon).toBeGreaterThanOrEqual(13);
    return grown(before[0], await ada.soundTracks());
  };
  const most = async () => Math.max(await look(), await look(), await look());
  // Seven of them, the flooder's camera makes eight, and the accomplice's.
  await expect.poll(most, soon).toBeLessThanOrEqual(8);
  await ada.hears();
  await Promise.all([ada, flooder, accomplice].map((person) => person.close()));

  async function guest(name: string): Promise<Person> {
    return stockPerson(await service.call("POST", `/rooms/${room.id}/tokens`, { name }));
  }
});

test.each([
  { setting: "mute_on_entry", listed: "audio_muted", source: undefined },
  { setting: "camera_off_on_entry", listed: "video_muted", source: "camera" },
] as const)("a client that $setting mutes knows it, and can unmute itself", async (entry) => {
  const room = await service.makeRoom({ [entry.setting]: true });
  const stock = await stockPerson(
    await service.call("POST", `/rooms/${room.id}/tokens`, { name: "Stock" }),
  );
  const isMuted = () => stock.page.evaluate((source) => window.isMuted(source), entry.source);
  const isMutedForOthers = async () => {
    const people = await service.call<People>("GET", `/rooms/${room.id}/participants`);
    return people.data[0]?.[entry.listed];
  };
  await expect.poll(isMutedForOthers, soon).toBe(true);
  // It misses the message if its own publishing is not complete, and may then say that its track
  // is on. Nobody receives it, whatever it says.
  const forOthers: (boolean | undefined)[] = [];
  const knows = async () => {
    forOthers.push(await isMutedForOthers());
    return isMuted();
  };
  await expect.poll(knows, soon).toBe(true);
  expect(forOthers).not.toContain(false);
  const unmutes = async () => {
    await stock.page.evaluate((source) => window.mute(false, source), entry.source);
    return !(await isMuted()) && !(await isMutedForOthers());
  };
  await expect.poll(unmutes, soon).toBe(true);
  await stock.close();
});

test("a person who toggles their microphone without end does not disturb others", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  const flooder = await stockPerson(
    await service.call("POST", `/rooms/${room.id}/tokens`, { name: "Flooder" }),
  );
  await ada.sees("Flooder");
  await flooder.page.evaluate(() => window.flicker(3000));
  // A busy media server may deliver two changes at once in the wrong order. So the last one is made
  // again by itself, after the one before it has arrived.
  const muted = ada.tile("Flooder").getByRole("img", { name: "Muted" });
  const shows = (state: "visible" | "hidden") =>
    muted.waitFor({ state, timeout: 10_000 }).then(
      () => true,
      () => false,
    );
  const isMuted = async () => {
    await flooder.page.evaluate(() => window.mute(false));
    await shows("hidden");
    await flooder.page.evaluate(() => window.mute(true));
    return shows("visible");
  };
  await expect.poll(isMuted, { timeout: 90_000, interval: 1000 }).toBe(true);
  expect(ada.complaints).toEqual([]);
  await Promise.all([ada, flooder].map((person) => person.close()));
});

/** How many of the streams have received something since. */
function grown(before: Counters, now: Counters): number {
  return Object.entries(now).filter(([name, value]) => value > (before[name] ?? 0)).length;
}
