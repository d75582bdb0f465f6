import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isWhollyShown, looksDangerous } from "./looks";
import { openBrowser, Person, type PersonOptions, soon } from "./people";
import { type Room, ServiceUnderTest } from "./service";
import { type Film, makeFilm, partsOf, record, ticketOf } from "./synthetic-recording";

let browser: Browser;
let service: ServiceUnderTest;
let film: Film;

beforeAll(async () => {
  [browser, service, film] = await Promise.all([
    openBrowser(),
    ServiceUnderTest.start(),
    makeFilm(180),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const password = "correct horse battery";
const button = (at: Page | Locator, name: string) => at.getByRole("button", { name, exact: true });

/** Opens a member's page in a browser where the person is signed in. */
async function open(name: string, path: string, options: PersonOptions = {}): Promise<Person> {
  return Person.at(browser, name, service.url + path, {
    ...options,
    prepare: async (page) => {
      const data = { email: `${name.toLowerCase()}@acme.example`, password };
      await page.request.post(`${service.url}/account/v1/sign-in`, { data });
      await options.prepare?.(page);
    },
  });
}

const addMember = (name: string, role = "member") =>
  service.addMember(`${name.toLowerCase()}@acme.example`, name, role, password);

/** A room with its host in the meeting: the signed-in person, or one with a link. */
async function meet(settings: object, signedIn?: string): Promise<{ room: Room; host: Person }> {
  const room = await service.makeRoom(settings);
  if (signedIn === undefined) {
    const host = await Person.in(browser, "Grace", await service.invite(room, "Grace", "host"));
    return { room, host };
  }
  const host = await open(signedIn, `/${room.code}`);
  await button(host.page, "Join now").click();
  await host.isInside();
  return { room, host };
}

async function recorded(settings: object, plan: object = {}): Promise<{ id: string; room: Room }> {
  const { room, host } = await meet(settings);
  const id = await record(service, { ticket: await ticketOf(host, room), room, film, ...plan });
  await host.close();
  return { id, room };
}

const list = (page: Page) => page.getByRole("list", { name: "Recordings", exact: true });
const item = (page: Page, title: string) =>
  list(page).getByRole("listitem").filter({ hasText: title });

/** Waits until the player shows a colour at the given time or later. */
async function shows(player: Locator, colour: "red" | "green" | "blue", from = 0): Promise<void> {
  const video = player.locator("video");
  const look = () =>
    video.evaluate((element) => {
      if (!(element instanceof HTMLVideoElement) || element.readyState < 2) return [-1, "none"];
      const canvas = document.createElement("canvas");
      const context = canvas.getContext("2d");
      context?.drawImage(element, 0, 0, 1, 1, 0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0] = context?.getImageData(0, 0, 1, 1).data ?? [];
      const strongest = Math.max(red, green, blue);
      const name =
        strongest < 100
          ? "dark"
          : strongest === red
            ? "red"
            : strongest === green
              ? "green"
              : "blue";
      return [element.currentTime, name];
    });
  const message = `${colour} after ${from} s`;
  await expect.poll(async () => (await look())[1], { ...soon, message }).toBe(colour);
  await expect
    .poll(async () => Number((await look())[0]), { ...soon, message })
    .toBeGreaterThan(from);
}

function seek(player: Locator, seconds: number): Promise<void> {
  return player.locator("video").evaluate((element, to) => {
    if (element instanceof HTMLVideoElement) element.currentTime = to;
  }, seconds);
}

/** Collects the parts that a page fetches from now on, in their order. */
function fetchedParts(page: Page): number[] {
  const parts: number[] = [];
  page.on("request", (request) => {
    const part = /\/parts\/(\d+)$/.exec(request.url())?.[1];
    if (part !== undefined) parts.push(Number(part));
  });
  return parts;
}

test("a member plays a recording, seeks in it, and downloads it", async () => {
  await addMember("Ada");
  await recorded({}, { withIndex: true });
  const ada = await open("Ada", "/recordings", { prepare: withoutPicker });
  const { page } = ada;
  const entry = item(page, "Planning");
  await entry.getByText(/^Today, .* · 3:00 · [\d.]+ (kB|MB)$/).waitFor(soon);
  expect(await ada.violations()).toEqual([]);

  const parts = fetchedParts(page);
  await button(entry, "Play").click();
  const player = page.getByRole("dialog", { name: "Planning" });
  await shows(player, "red", 1);
  expect(await ada.violations()).toEqual([]);
  await seek(player, 150);
  await shows(player, "blue", 150.5);
  // The parts in between are not fetched, and the played ones are removed.
  expect(parts.filter((part) => part > 6 && part < 14)).toEqual([]);
  const oldest = () =>
    player
      .locator("video")
      .evaluate((one) => (one instanceof HTMLVideoElement ? one.buffered.start(0) : -1));
  await expect.poll(oldest, soon).toBeGreaterThan(100);
  await seek(player, 70);
  await shows(player, "green", 70.5);
  await seek(player, 178);
  const ended = () =>
    player.locator("video").evaluate((one) => one instanceof HTMLVideoElement && one.ended);
  await expect.poll(ended, soon).toBe(true);
  // Seek from the end back to the beginning.
  await seek(player, 3);
  await player.locator("video").evaluate((one) => {
    if (one instanceof HTMLVideoElement) void one.play();
  });
  await shows(player, "red", 3);
  await button(player, "Close").click();
  await player.waitFor({ state: "detached" });

  const [file] = await Promise.all([
    page.waitForEvent("download", soon),
    button(entry, "Download").click(),
  ]);
  expect(file.suggestedFilename()).toBe("Planning.mp4");
  expect((await readFile(await file.path())).equals(Buffer.concat(partsOf(film)))).toBe(true);
  await entry.getByText("The recording is downloaded.").waitFor(soon);
  expect(ada.complaints).toEqual([]);
  await ada.close();
});

test("a download goes to the file that the person chooses", async () => {
  const ada = await open("Ada", "/recordings", { prepare: withPlayedPicker });
  const { page } = ada;
  const entry = item(page, "Planning");
  await button(entry, "Download").click();
  await entry.getByText("The recording is downloaded.").waitFor(soon);
  const written = await page.evaluate(async () => {
    const folder = await navigator.storage.getDirectory();
    const file = await (await folder.getFileHandle("chosen.mp4")).getFile();
    const digest = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
    return [file.size, [...new Uint8Array(digest)].join(" ")];
  });
  const whole = new Uint8Array(Buffer.concat(partsOf(film)));
  const digest = await crypto.subtle.digest("SHA-256", whole);
  expect(written).toEqual([whole.length, [...new Uint8Array(digest)].join(" ")]);
  await ada.close();
});

/** A browser that cannot write a file piece by piece. */
const withoutPicker = (page: Page) =>
  page.addInitScript(() => Reflect.deleteProperty(window, "showSaveFilePicker"));

/** A test cannot answer the browser's dialog for saving, so this returns a private file. */
const withPlayedPicker = (page: Page) =>
  page.addInitScript(() => {
    const showSaveFilePicker = async () => {
      const folder = await navigator.storage.getDirectory();
      return folder.getFileHandle("chosen.mp4", { create: true });
    };
    Object.assign(window, { showSaveFilePicker });
  });

test("a recording without an index plays, and seeks by reading on", async () => {
  const { id } = await recorded({}, { withIndex: false });
  await service.call("PATCH", `/recordings/${id}`, { title: `No index ${"in it ".repeat(18)}` });
  const ada = await open("Ada", "/recordings");
  await button(item(ada.page, "No index"), "Play").click();
  const player = ada.page.getByRole("dialog", { name: "No index" });
  await shows(player, "red", 1);
  await seek(player, 100);
  await shows(player, "green", 100.5);
  await seek(player, 20);
  await shows(player, "red", 20.5);
  await ada.page.setViewportSize({ width: 640, height: 400 });
  expect(await isWhollyShown(player.locator("video"))).toBe(true);
  expect((await button(player, "Close").boundingBox())?.width).toBe(40);
  await ada.close();
});

test("a recording in the other format plays too", async () => {
  const webm = await makeFilm(60, "video/webm");
  const { id } = await recorded({}, { film: webm });
  await service.call("PATCH", `/recordings/${id}`, { title: "WebM" });
  const ada = await open("Ada", "/recordings", { prepare: withoutPicker });
  const entry = item(ada.page, "WebM");
  await button(entry, "Play").click();
  const player = ada.page.getByRole("dialog", { name: "WebM" });
  await shows(player, "red", 1);
  await seek(player, 50);
  await shows(player, "blue", 50.5);
  await seek(player, 25);
  await shows(player, "green", 25.5);
  await button(player, "Close").click();
  const [file] = await Promise.all([
    ada.page.waitForEvent("download", soon),
    button(entry, "Download").click(),
  ]);
  expect(file.suggestedFilename()).toBe("WebM.webm");
  await ada.close();
});

test("the program of the documentation downloads the same file", async () => {
  const { id } = await recorded({});
  const guide = new URL("../../docs/how-to/download-recordings.md", import.meta.url);
  const program = /```js\n(.*?)```/s.exec(await readFile(guide, "utf8"))?.[1] ?? "";
  const folder = await mkdtemp(join(tmpdir(), "conclave-download-"));
  await writeFile(join(folder, "download.mjs"), program);
  await promisify(execFile)("node", ["download.mjs", id, "meeting.mp4"], {
    cwd: folder,
    env: { ...process.env, CONCLAVE_URL: service.url, CONCLAVE_API_KEY: service.key },
  });
  const file = await readFile(join(folder, "meeting.mp4"));
  expect(file.equals(Buffer.concat(partsOf(film)))).toBe(true);
  await rm(folder, { recursive: true });
});

test("a damaged part is reported, and the parts before it play", async () => {
  const { id } = await recorded({}, { damaged: 7 });
  await service.call("PATCH", `/recordings/${id}`, { title: "Damaged" });
  const ada = await open("Ada", "/recordings", { prepare: withoutPicker });
  const entry = item(ada.page, "Damaged");
  await button(entry, "Play").click();
  const player = ada.page.getByRole("dialog", { name: "Damaged" });
  await shows(player, "red", 1);
  await seek(player, 75);
  await player.getByText("Part 8 of this recording is damaged.").waitFor(soon);
  await button(player, "Close").click();
  await button(entry, "Download").click();
  await entry.getByText("Part 8 of this recording is damaged.").waitFor(soon);
  await ada.close();
});

test("a long list is loaded in pages, and marks recordings of which nothing arrived", async () => {
  await addMember("Eva");
  const { room, host } = await meet({});
  const ticket = await ticketOf(host, room);
  for (let i = 0; i < 26; i += 1) {
    await record(service, { ticket, room, film: { ...film, fragments: [] } });
  }
  await host.close();
  const eva = await open("Eva", "/recordings");
  const items = list(eva.page).getByRole("listitem");
  await expect.poll(() => items.count(), soon).toBe(25);
  const first = items.first();
  await first.getByText("Nothing of this recording arrived").waitFor(soon);
  expect(await button(first, "Play").count()).toBe(0);
  await button(eva.page, "Load more").click();
  await expect.poll(() => items.count(), soon).toBeGreaterThan(25);
  await button(eva.page, "Load more").waitFor({ state: "detached" });
  await eva.close();
});

test("the maker of a recording renames, hides and deletes it, and other members cannot", async () => {
  await Promise.all([addMember("Bea", "admin"), addMember("Cem")]);
  const { room, host } = await meet({}, "Bea");
  await record(service, { ticket: await ticketOf(host, room), room, film });
  await host.close();
  const bea = await open("Bea", "/recordings");
  const first = list(bea.page).getByRole("listitem").first();
  await button(first, "Rename").click();
  const form = bea.page.getByRole("dialog", { name: "Rename" });
  await form.getByLabel("Title").fill("");
  await button(form, "Save").click();
  await form.getByText("Enter a title.").waitFor(soon);
  await form.getByLabel("Title").fill("Retrospective");
  await button(form, "Save").click();
  await form.waitFor({ state: "detached" });
  const own = item(bea.page, "Retrospective");
  await own.waitFor(soon);

  const cem = await open("Cem", "/recordings");
  const seen = item(cem.page, "Retrospective");
  await button(seen, "Play").waitFor(soon);
  for (const name of ["Rename", "Delete"]) expect(await button(seen, name).count()).toBe(0);
  expect(await seen.getByLabel("Visibility").count()).toBe(0);

  await own.getByLabel("Visibility").selectOption("Private");
  await bea.told("The visibility is changed.").waitFor(soon);
  await cem.page.reload();
  await list(cem.page).or(cem.page.getByText("No recordings yet")).first().waitFor(soon);
  expect(await seen.count()).toBe(0);
  await own.getByLabel("Visibility").selectOption("Workspace");
  await expect.poll(() => own.getByLabel("Visibility").inputValue(), soon).toBe("workspace");
  await cem.page.reload();
  await seen.waitFor(soon);

  expect(await looksDangerous(button(own, "Delete"))).toBe(true);
  await button(own, "Delete").click();
  const sure = bea.page.getByRole("alertdialog", { name: "Delete “Retrospective”?" });
  await button(sure, "Cancel").click();
  await own.waitFor(soon);
  await button(own, "Delete").click();
  await button(sure, "Delete").click();
  await own.waitFor({ state: "detached" });
  await button(seen, "Play").click();
  await cem.page.getByText(/^This recording no longer exists/).waitFor(soon);
  expect([...bea.complaints, ...cem.complaints]).toEqual([]);
  await Promise.all([bea.close(), cem.close()]);
});

test("an end_to_end recording opens on devices that were let in", async () => {
  await addMember("Dan", "admin");
  const registered = (person: Person) =>
    person.page.waitForResponse((response) => response.url().endsWith("/account/v1/devices"), soon);
  // The first browser is registered when the recording begins.
  const [early] = await Promise.all([open("Dan", "/account")]);
  const devices = early.page.getByRole("list", { name: "Devices" });
  await devices.getByText("this device").waitFor(soon);
  const { room, host } = await meet({ recordings: "end_to_end" });
  const ticket = await ticketOf(host, room);
  const key = randomBytes(32);
  const id = await record(service, { ticket, room, film, key });
  await host.close();
  await service.call("PATCH", `/recordings/${id}`, { title: "Secret" });
  await expect(service.call("POST", `/recordings/${id}/download`)).rejects.toThrow(
    "recording_end_to_end",
  );

  const play = async (person: Person) => {
    await button(item(person.page, "Secret"), "Play").click();
    return person.page.getByRole("dialog", { name: "Secret" });
  };
  // The second one is registered later.
  const late = await open("Dan", "/");
  await registered(late);
  await late.page.goto(`${service.url}/recordings`);
  const shut = await play(late);
  await shut.getByText(/this device cannot open it yet/).waitFor(soon);
  await button(shut, "Close").click();

  await early.page.goto(`${service.url}/recordings`);
  const opened = await play(early);
  await shows(opened, "red", 1);
  await opened
    .getByRole("listitem")
    .filter({ hasText: "Chrome on Linux, Dan" })
    .first()
    .waitFor(soon);
  await button(opened, "Let devices open it").click();
  await opened.getByText("They can open it now.").waitFor(soon);
  await button(opened, "Close").click();

  await shows(await play(late), "red", 1);
  await late.page.keyboard.press("Escape");

  // A revoked device opens nothing, until it is added and let in again.
  await early.page.goto(`${service.url}/account`);
  const other = devices.getByRole("listitem").filter({ hasNotText: "this device" }).first();
  expect(await looksDangerous(button(other, "Revoke"))).toBe(true);
  await button(other, "Revoke").click();
  await button(early.page.getByRole("alertdialog"), "Revoke").click();
  await other.waitFor({ state: "detached" });
  await late.page.reload();
  const revoked = await play(late);
  await revoked.getByText(/^This device was revoked/).waitFor(soon);
  await late.page.goto(`${service.url}/account`);
  await button(late.page, "Add this device").click();
  await late.page.getByRole("list", { name: "Devices" }).getByText("this device").waitFor(soon);
  // Three devices had the key. The service never did, while it does know the recording.
  expect(await service.placesOf(key)).toEqual([]);
  expect(await service.placesOf(Buffer.from(id))).not.toEqual([]);
  expect([...early.complaints, ...late.complaints]).toEqual([]);
  await Promise.all([early.close(), late.close()]);
});
