import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, Person, soon } from "./people";
import { RecordedFile, readyRecording, recordingsOf } from "./recorded-file";
import { type Room, ServiceUnderTest } from "./service";

/** How recordings end that no host stops. */

/** Two or three parts of ten seconds. */
const quota = 2_000_000;
let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  const settings = async () => ["--recording-max-bytes", String(quota)];
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start(settings)]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const hostOf = async (room: Room, name: string, options = {}) =>
  Person.in(browser, name, await service.invite(room, name, "host"), options);

async function record(host: Person): Promise<void> {
  await host.control("Record").click();
  await host.told("Recording").waitFor(soon);
  // The service knows of the recording a moment before this device makes it.
  await host.control("Stop recording").waitFor(soon);
}

test("another host records on when the computer of the first one crashes", async () => {
  const room = await service.makeRoom();
  const [first, second] = await Promise.all([hostOf(room, "Hedy"), hostOf(room, "Grace")]);
  const isStored = first.page.waitForResponse(/\/parts\/0\?/, soon);
  await record(first);
  await second.control("Stop recording").waitFor(soon);
  await isStored;
  const crashed = first.page.waitForEvent("crash");
  await first.page.goto("chrome://crash").catch(() => {});
  await crashed;
  await second.told("(Hedy is not connected right now)").waitFor(soon);
  await record(second);
  await second.control("Stop recording").click();
  const statuses = async () =>
    (await recordingsOf(service, room)).map(({ status, parts }) => `${status} ${parts > 0}`);
  await expect.poll(statuses, soon).toContain("ready true");
  expect(await statuses()).toHaveLength(2);
  await Promise.all([first.close(), second.close()]);
});

test("a host with a redirect_url goes there once the rest of the recording is sent", async () => {
  const room = await service.makeRoom();
  const after = "https://after.example.com/thanks";
  const link = await service.call<{ url: string }>("POST", `/rooms/${room.id}/join-links`, {
    name: "Hedy",
    role: "host",
    redirect_url: after,
  });
  const host = await Person.in(browser, "Hedy", link.url, {
    prepare: (page) => page.route(`${after}**`, (route) => route.fulfill({ body: "Thanks" })),
  });
  // The first part is not complete yet when the host leaves, and its upload takes a moment.
  let letThrough = () => {};
  const isHeld = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  let begin = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  await host.page.context().route(/\/parts\/0\?/, async (route) => {
    begin();
    await isHeld;
    await route.continue();
  });
  await record(host);
  await host.control("Leave").click();
  await host.page.getByRole("menuitem", { name: "Leave", exact: true }).click();
  await host.told("The rest of the recording is being sent. Keep this page open.").waitFor(soon);
  await hasBegun;
  expect(host.page.url()).not.toBe(after);
  letThrough();
  await host.page.waitForURL(after, soon);
  const recording = await readyRecording(service, room);
  expect(recording.parts).toBeGreaterThan(0);
  await host.close();
});

test("a recording ends when it reaches its limit, and what was stored plays", async () => {
  const room = await service.makeRoom();
  const host = await hostOf(room, "Hedy");
  await record(host);
  await host.told("The recording has ended: the limit for recordings is reached").waitFor({
    timeout: soon.timeout + 60_000,
  });
  await host.control("Record").waitFor(soon);
  const recording = await readyRecording(service, room);
  expect(recording.bytes).toBeLessThanOrEqual(quota);
  const file = await RecordedFile.fetch(service, recording);
  expect(await file.faults()).toBe("");
  await file.delete();
  expect(host.complaints).toEqual([]);
  await host.close();
});

test("a recording ends when the disk of the service is full", async () => {
  const room = await service.makeRoom();
  const host = await hostOf(room, "Hedy");
  // The answer of a service with a full disk. A test of the service fills a real one.
  const error = { type: "invalid_request_error", code: "storage_full", message: "Full." };
  await host.page
    .context()
    .route(/\/parts\/1\?/, (route) => route.fulfill({ status: 507, json: { error } }));
  await record(host);
  await host.told("The recording has ended: the service has no space left").waitFor({
    timeout: soon.timeout + 30_000,
  });
  await host.control("Record").waitFor(soon);
  await host.close();
});
