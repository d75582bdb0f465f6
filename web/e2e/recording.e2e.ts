import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isIn, openBreakouts } from "./breakout-rooms";
import { openBrowser, Person, soon } from "./people";
import { playNothing } from "./played-camera";
import { clapsBetween, playClapper } from "./played-clapper";
import { claps, flashes, offsets, RecordedFile, readyRecording } from "./recorded-file";
import { type Room, ServiceUnderTest } from "./service";

const password = "correct horse battery";
let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/**
 * Runs in the page: on the event "hide-tab" the page reports that it is hidden, and stops drawing.
 */
function allowHiding(): void {
  window.addEventListener("hide-tab", () => {
    Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
    Object.defineProperty(document, "hidden", { get: () => true });
    window.requestAnimationFrame = () => 0;
    document.dispatchEvent(new Event("visibilitychange"));
  });
}

/** Runs in the page: a browser without streams of frames, such as Firefox. */
function takeStreams(): void {
  Reflect.deleteProperty(window, "MediaStreamTrackProcessor");
}

/** Runs in the page: a browser without encoders. */
function takeEncoders(): void {
  Reflect.deleteProperty(window, "VideoEncoder");
}

/** Runs in the page: messages that would pass by themselves (web/ui/src/banner.tsx) stay. */
function keepMessages(): void {
  const begin = window.setTimeout.bind(window);
  const passingTime = 8000;
  const beginOthers = (handler: TimerHandler, after?: number, ...rest: unknown[]) =>
    after === passingTime ? 0 : begin(handler, after, ...rest);
  window.setTimeout = Object.assign(beginOthers, window.setTimeout);
}

/** Where the pictures of two people are, in fractions of a recording's picture. */
const own = [0.05, 0.3, 0.4, 0.4] as const;
const others = [0.6, 0.4, 0.3, 0.2] as const;
const everybody = [0.1, 0.1, 0.8, 0.8] as const;

/** For how long the picture does not change at the end of a recording, in seconds. */
async function stillSeconds(
  file: RecordedFile,
  part: readonly [number, number, number, number],
): Promise<number> {
  const brightness = await file.brightness(...part);
  const times = await file.pictureTimes();
  const last = brightness.at(-1) ?? 0;
  const changed = brightness.findLastIndex((one) => Math.abs(one - last) > 1);
  return (times.at(-1) ?? 0) - (times[changed] ?? 0);
}

/** The recording's elapsed time in the banner, in seconds. */
async function elapsed(person: Person): Promise<number> {
  const text = await person.told("Recording").textContent();
  const [, minutes, seconds] = /(\d+):(\d\d)/.exec(text ?? "") ?? [];
  return Number(minutes) * 60 + Number(seconds);
}

async function recordFor(host: Person, seconds: number): Promise<void> {
  await host.control("Record").click();
  await host.told("Recording").waitFor(soon);
  const reached = async () => (await elapsed(host)) >= seconds;
  await expect.poll(reached, { timeout: soon.timeout + seconds * 1000 }).toBe(true);
}

/** Returns when the host stopped, in milliseconds since 1970. */
async function stop(host: Person): Promise<number> {
  await host.control("Stop recording").click();
  const stopped = Date.now();
  await host.control("Record").waitFor(soon);
  return stopped;
}

const hostOf = async (room: Room, options = {}) =>
  Person.in(browser, "Hedy", await service.invite(room, "Hedy", "host"), options);

test("a host records, everybody is told, and the file shows the meeting", async () => {
  const room = await service.makeRoom();
  const host = await hostOf(room);
  const guest = await Person.in(browser, "Bob", room.url, {
    prepare: (page) => page.addInitScript(playClapper),
  });
  await host.control("Mute").click();
  await host.sees("Bob");
  expect(await guest.control("Record").count()).toBe(0);
  await recordFor(host, 16);
  await guest.told("Recording").waitFor(soon);
  await guest.page.getByText("This meeting is being recorded").waitFor(soon);
  // People who come later are told too, and cannot stop it.
  const late = await Person.in(browser, "Cleo", room.url, {
    prepare: (page) => page.addInitScript(playNothing),
  });
  await late.told("Recording").waitFor(soon);
  expect(await late.control("Stop recording").count()).toBe(0);
  expect([...(await host.violations()), ...(await late.violations())]).toEqual([]);
  await late.close();
  const stopped = await stop(host);
  // A host with a join link has no account for that page.
  const kept = host.told("Members of the workspace find it on their recordings page.");
  await kept.waitFor(soon);
  expect(await kept.getByRole("link").count()).toBe(0);
  expect(await host.violations()).toEqual([]);
  await expect.poll(() => guest.told("Recording").count(), soon).toBe(0);
  await guest.page.getByText("The recording has stopped").waitFor(soon);

  const recording = await readyRecording(service, room);
  expect([recording.mime_type, recording.parts]).toEqual(["video/mp4", expect.any(Number)]);
  expect(recording.parts).toBeGreaterThan(1);
  const file = await RecordedFile.fetch(service, recording);
  expect(await file.faults()).toBe("");
  expect(await file.streams()).toEqual(["video h264 1280x720", "audio opus"]);
  const times = await file.pictureTimes();
  const seconds = times.at(-1) ?? 0;
  expect(Math.abs(recording.duration_ms / 1000 - seconds)).toBeLessThan(1);
  // Sound and picture end together.
  expect(Math.abs((await file.soundSeconds()) - seconds)).toBeLessThan(0.15);
  expect(await file.pictureAt(seconds - 1)).toBeGreaterThan(1000);
  // Both the host's camera, on the left, and the guest's move until the end.
  expect(await stillSeconds(file, own)).toBeLessThan(3);
  const seen = flashes(await file.brightness(...others), times);
  const heard = claps(await file.sound());
  // The host was muted, so only the guest's claps are heard: one a second, or as many as the
  // guest's page made.
  const made = await clapsBetween(guest.page, stopped - seconds * 1000, stopped);
  expect(made).toBeGreaterThan(seconds / 2);
  expect(Math.abs(heard.length - made)).toBeLessThan(3);
  const apart = [...offsets(seen, heard)].sort((one, two) => one - two);
  expect(apart.length).toBeGreaterThan(10);
  // The benchmark measures the delay on an idle machine, where it is smaller.
  expect(Math.abs(apart[Math.floor(apart.length / 2)] ?? 1000)).toBeLessThan(100);
  await file.delete();
  expect([...host.complaints, ...guest.complaints]).toEqual([]);
  await Promise.all([host.close(), guest.close()]);
});

/** For how long the tab is hidden; a minute by hand, and less where many tests run. */
const hiddenSeconds = Number(process.env["HIDDEN_SECONDS"] ?? 10);

test("a hidden tab goes on recording", async () => {
  const room = await service.makeRoom();
  const host = await hostOf(room, { prepare: (page: Page) => page.addInitScript(allowHiding) });
  const guest = await Person.in(browser, "Bob", room.url);
  await host.sees("Bob");
  await host.control("Record").click();
  await host.told("Recording").waitFor(soon);
  await host.page.evaluate(() => window.dispatchEvent(new Event("hide-tab")));
  const began = await elapsed(host);
  const hidden = { timeout: soon.timeout + hiddenSeconds * 1000 };
  await expect
    .poll(async () => (await elapsed(guest)) - began, hidden)
    .toBeGreaterThan(hiddenSeconds);
  await stop(host);
  const file = await RecordedFile.fetch(service, await readyRecording(service, room));
  expect(await file.faults()).toBe("");
  // Until the end, although the media library pauses the pictures of a hidden page.
  expect(await stillSeconds(file, others)).toBeLessThan(4);
  await file.delete();
  await Promise.all([host.close(), guest.close()]);
});

test("the next page sends what a killed page had recorded", async () => {
  const room = await service.makeRoom();
  const host = await hostOf(room);
  // The first part is sent, and the second has to wait on the device.
  const context = host.page.context();
  let isClosed = true;
  const isWaiting = new Promise<void>((resolve) => {
    void context.route(/\/parts\/1\?/, async (route) => {
      await (isClosed ? route.abort() : route.fallback());
      resolve();
    });
  });
  await host.control("Record").click();
  await isWaiting;
  const crashed = host.page.waitForEvent("crash");
  await host.page.goto("chrome://crash").catch(() => {});
  await crashed;
  isClosed = false;
  const page = await context.newPage();
  await page.goto(room.url);
  const recording = await readyRecording(service, room);
  expect(recording.parts).toBe(2);
  const file = await RecordedFile.fetch(service, recording);
  expect(await file.faults()).toBe("");
  expect(await file.pictureAt((await file.soundSeconds()) - 1)).toBeGreaterThan(1000);
  await file.delete();
  await host.close();
});

test("records without a connection to the service, and in a browser without streams of frames", async () => {
  const room = await service.makeRoom();
  const host = await hostOf(room, { prepare: (page: Page) => page.addInitScript(takeStreams) });
  const context = host.page.context();
  let tries = 0;
  await context.route(/\/recordings\/.*\/(parts|alive)/, async (route) => {
    tries += 1;
    await route.abort();
  });
  await recordFor(host, 13);
  await expect.poll(() => tries, soon).toBeGreaterThan(1);
  await stop(host);
  await host.told("is being sent").waitFor(soon);
  await context.unroute(/\/recordings\/.*\/(parts|alive)/);
  const recording = await readyRecording(service, room);
  await expect.poll(() => host.told("is being sent").count(), soon).toBe(0);
  const file = await RecordedFile.fetch(service, recording);
  expect(await file.faults()).toBe("");
  expect(await stillSeconds(file, everybody)).toBeLessThan(3);
  await file.delete();
  await host.close();
});

test("another host stops it, and a browser that cannot record says so", async () => {
  const room = await service.makeRoom();
  const host = await hostOf(room);
  const second = await Person.in(browser, "Grace", await service.invite(room, "Grace", "host"), {
    prepare: (page) => page.addInitScript(takeEncoders),
  });
  await second.control("Record").click();
  await second.told("This browser cannot record.").waitFor(soon);
  expect(await second.violations()).toEqual([]);
  await recordFor(host, 3);
  await second.control("Stop recording").click();
  await host.control("Record").waitFor(soon);
  await second.control("Record").waitFor(soon);
  expect((await readyRecording(service, room)).parts).toBe(1);
  await Promise.all([host.close(), second.close()]);
});

test("only members' devices open a recording of a room whose recordings are end_to_end", async () => {
  await service.addMember("ada@acme.example", "Ada", "member", password);
  const room = await service.makeRoom({ recordings: "end_to_end" });
  const signIn = { data: { email: "ada@acme.example", password } };
  const host = await hostOf(room, {
    prepare: async (page: Page) => {
      await page.request.post(`${service.url}/account/v1/sign-in`, signIn);
      await page.addInitScript(keepMessages);
    },
  });
  await host.control("Record").click();
  const failure = host.told("Nobody could open this recording");
  await failure.waitFor(soon);
  // Now the member's browser is a device.
  const page = await host.page.context().newPage();
  const registered = page.waitForResponse((response) => response.url().endsWith("/v1/devices"));
  await page.goto(`${service.url}/recordings`);
  await registered;
  // The message would be gone by itself before a slow second try; only the try takes it away.
  expect(await failure.count()).toBe(1);
  await recordFor(host, 4);
  expect(await failure.count()).toBe(0);
  await stop(host);
  const recording = await readyRecording(service, room);
  const download = service.call("POST", `/recordings/${recording.id}/download`);
  await expect(download).rejects.toThrow("recording_end_to_end");
  await page.reload();
  await page.getByRole("button", { name: "Play" }).first().click();
  const played = () =>
    page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);
  await expect.poll(played, soon).toBeGreaterThan(1);
  expect(host.complaints).toEqual([]);
  await host.close();
});

test("the recording ends when its host is moved to another room of the meeting", async () => {
  const room = await service.makeRoom();
  const host = await hostOf(room);
  await recordFor(host, 2);
  await openBreakouts(service, room, { Hedy: 0 }, { include_hosts: true });
  await host.told("You moved to another room, so the recording has ended").waitFor(soon);
  await host.control("Record").waitFor(soon);
  expect((await readyRecording(service, room)).parts).toBeGreaterThan(0);
  await host.close();
});

test("in a breakout room people hear that it is not recorded, not that the recording stopped", async () => {
  const room = await service.makeRoom();
  const host = await hostOf(room);
  const guest = await Person.in(browser, "Bob", room.url);
  await recordFor(host, 1);
  await guest.told("Recording").waitFor(soon);
  const heard = (text: string) => guest.page.getByText(text, { exact: true });
  await openBreakouts(service, room, { Bob: 0 });
  await isIn(guest, "Room 1");
  await heard("The room you are in now is not being recorded").waitFor(soon);
  expect(await guest.told("Recording").count()).toBe(0);
  await host.told("Recording").waitFor(soon);
  await service.call("POST", `/rooms/${room.id}/breakouts/end`, {});
  await heard("This meeting is being recorded").waitFor(soon);
  await guest.told("Recording").waitFor(soon);
  await stop(host);
  await heard("The recording has stopped").waitFor(soon);
  await Promise.all([host.close(), guest.close()]);
});

test("a person who goes from one recorded room into another is told again", async () => {
  const room = await service.makeRoom();
  const host = await hostOf(room);
  const second = await Person.in(browser, "Grace", await service.invite(room, "Grace", "host"));
  const guest = await Person.in(browser, "Bob", room.url);
  await recordFor(host, 1);
  const { rooms } = await openBreakouts(service, room, { Grace: 0 }, { include_hosts: true });
  await isIn(second, "Room 1");
  await recordFor(second, 1);
  // Screen readers read an element that is new.
  const told = guest.page.getByText("This meeting is being recorded", { exact: true });
  await told.evaluate((element) => element.setAttribute("data-earlier", ""));
  const bob = (await service.participants(room)).find(({ name }) => name === "Bob");
  await service.call("POST", `/rooms/${room.id}/breakouts/assignments`, {
    participant: bob?.identity,
    breakout_id: rooms[0]?.id,
  });
  await isIn(guest, "Room 1");
  await expect.poll(() => guest.page.locator("[data-earlier]").count(), soon).toBe(0);
  expect(await told.count()).toBe(1);
  await Promise.all([host.close(), second.close(), guest.close()]);
});
