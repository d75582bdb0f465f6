import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { isIn, openBreakouts, openSession } from "./breakout-rooms";
import { heard, say } from "./chatting";
import { Line } from "./line";
import { closePeople, openBrowser, Person, type PersonOptions, part, soon } from "./people";
import { type Room, ServiceUnderTest } from "./service";

let browser: Browser;
let service: ServiceUnderTest;
const lines: Line[] = [];

beforeAll(async () => {
  [browser, service] = await Promise.all([
    openBrowser(),
    // The lines connect to this address.
    ServiceUnderTest.start(async () => ["--media-node-ip", "127.0.0.1"]),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

afterEach(async (context) => {
  await closePeople(browser, context);
  for (const line of lines.splice(0)) line.close();
});

async function onLine(name: string, room: Room, options: PersonOptions = {}) {
  const line = await Line.to(service.ports);
  lines.push(line);
  return { person: await Person.in(browser, name, room.url, { ...options, line }), line };
}

/** Bob and Cleo in a breakout, Bob muted and with his hand up. */
async function twoInRoom1() {
  const room = await service.makeRoom();
  const { person: cleo } = await onLine("Cleo", room);
  const { person: bob, line } = await onLine("Bob", room);
  await expect.poll(async () => (await service.participants(room)).length, soon).toBe(2);
  await bob.control("Mute").click();
  await bob.control("Raise hand").click();
  await openBreakouts(service, room, { Bob: 0, Cleo: 0 });
  await Promise.all([isIn(bob, "Room 1"), isIn(cleo, "Room 1")]);
  await Promise.all([bob.sees("Cleo"), cleo.sees("Bob")]);
  return { room, bob, cleo, line };
}

/** Checks that Bob is in the same room and state as before, without anybody's doing. */
async function isBack({ room, bob, cleo }: { room: Room; bob: Person; cleo: Person }) {
  await bob.told("Reconnecting...").waitFor({ ...soon, state: "detached" });
  await isIn(bob, "Room 1");
  await Promise.all([bob.sees("Cleo"), cleo.sees("Bob")]);
  await bob.hears();
  for (const name of ["Unmute", "Stop camera", "Lower hand"]) await bob.control(name).waitFor(soon);
  await cleo.tile("Bob").getByRole("img", { name: "Muted" }).waitFor(soon);
  const present = async () => {
    const [first] = (await openSession(service, room)).rooms;
    const members = first?.members.filter((member) => member.present);
    return members?.map(({ name }) => name).toSorted();
  };
  await expect.poll(present, soon).toEqual(["Bob", "Cleo"]);
  const entry = async () => (await service.participants(room)).find(({ name }) => name === "Bob");
  await expect
    .poll(entry, soon)
    .toMatchObject({ hand_raised: true, audio_muted: true, video_muted: false });
  await bob.control("Unmute").click();
  await cleo.hears();
}

test("a person cut off for a moment in a breakout comes back, and was never gone", async () => {
  const { room, bob, cleo, line } = await twoInRoom1();
  const before = await service.happened(room);
  line.unplug();
  await bob.page.context().setOffline(true);
  await bob.told("Reconnecting...").waitFor(soon);
  await say(cleo, "Where is Bob?");
  await bob.page.context().setOffline(false);
  line.restore();
  await isBack({ room, bob, cleo });
  await bob.openPanel("Chat");
  await heard(bob, "Where is Bob?").waitFor(soon);
  expect(await service.happened(room)).toEqual(before);
});

test("a person cut off until they count as gone still comes back into the same breakout", async () => {
  const { room, bob, cleo, line } = await twoInRoom1();
  const before = await service.happened(room);
  line.goSilent();
  await bob.told("Reconnecting...").waitFor(soon);
  await say(cleo, "Where is Bob?");
  // A press on the sign on his tile shows what it means.
  await cleo.tile("Bob").getByRole("button", { name: "Connection is lost" }).click();
  const meaning = cleo.page.getByRole("dialog", { name: "Connection is lost" });
  await meaning.getByText("nothing arrives from here right now").waitFor(soon);
  const missed = { timeout: 40_000 }; // the service takes up to 25 seconds to notice
  await expect.poll(async () => (await service.participants(room)).length, missed).toBe(1);
  await expect.poll(() => cleo.tile("Bob").count(), soon).toBe(0);
  line.restore();
  await isBack({ room, bob, cleo });
  await bob.openPanel("Chat");
  await heard(bob, "Where is Bob?").waitFor(soon);
  const since = (await service.happened(room)).slice(before.length);
  expect(since).toEqual(["participant.left disconnected", "participant.joined"]);
});

test("the sign of a poor connection can be seen on a phone, and says what it means", async () => {
  const room = await service.makeRoom();
  const viewport = { width: 360, height: 740 };
  const { person: ada } = await onLine("Ada", room, { viewport });
  const { person: bob, line } = await onLine("Bob", room);
  await ada.sees("Bob");
  line.lose(0.4);
  const sign = ada.tile("Bob").getByRole("button", { name: "Connection is poor" });
  await sign.waitFor(soon);
  const { width = 0, height = 0 } = (await sign.locator("svg").boundingBox()) ?? {};
  expect(Math.min(width, height)).toBeGreaterThanOrEqual(16);
  await sign.click();
  const meaning = ada.page.getByRole("dialog", { name: "Connection is poor" });
  await meaning.getByText("sound and pictures may break up").waitFor(soon);
  await part(ada, bob);
});

test("a file of the page that is lost once does not keep anybody out", async () => {
  const room = await service.makeRoom();
  const lost: string[] = [];
  const loseOnce = (page: Page) =>
    page.route(/\/assets\/(menu|meeting-page|enter)-.*\.(css|js)$/, async (route) => {
      const path = new URL(route.request().url()).pathname;
      if (lost.includes(path)) return route.continue();
      lost.push(path);
      return route.abort("connectionreset");
    });
  const ada = await Person.in(browser, "Ada", room.url, { prepare: loseOnce });
  expect(lost.some((path) => path.endsWith(".css"))).toBe(true);
  expect(lost.some((path) => path.endsWith(".js"))).toBe(true);
  const isStyled = () =>
    ada.toolbar.evaluate((toolbar) => getComputedStyle(toolbar).display === "flex");
  await expect.poll(isStyled, soon).toBe(true);
  const sheets = () =>
    ada.page.evaluate(() => [...document.styleSheets].map(({ href }) => href ?? ""));
  for (const path of lost.filter((one) => one.endsWith(".css"))) {
    await expect
      .poll(async () => (await sheets()).some((one) => one.endsWith(path)), soon)
      .toBe(true);
  }
  await ada.close();
});

test("a page whose parts stay lost says so, and works after a reload", async () => {
  const parts = /\/assets\/pages-.*\.js$/;
  const lose = (page: Page) => page.route(parts, (route) => route.abort("connectionreset"));
  const { page } = await Person.at(browser, "Ada", `${service.url}/`, { prepare: lose });
  await page.getByRole("alert").filter({ hasText: "does not work any more" }).waitFor(soon);
  await page.unroute(parts);
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("button", { name: "Join" }).waitFor(soon);
});

test("a person whose meeting stays lost may try again", async () => {
  const room = await service.makeRoom();
  const parts = /\/assets\/meeting-page-.*\.js$/;
  const lose = (page: Page) => page.route(parts, (route) => route.abort("connectionreset"));
  const ada = await Person.at(browser, "Ada", room.url, { prepare: lose });
  await ada.page.getByRole("textbox", { name: "Your name" }).fill("Ada");
  await ada.page.getByRole("button", { name: "Join now" }).click();
  await ada.page.getByText("The room cannot be opened right now").waitFor(soon);
  await ada.page.unroute(parts);
  await ada.join();
});

const encrypts = "**/assets/*e2ee.worker-*.js";
const makesKeys = "**/assets/group-worker-*.js";

for (const [missing, encryption, file] of [
  ["the part that encrypts", "standard", encrypts],
  ["the part that encrypts", "strict", encrypts],
  ["the part that makes keys", "strict", makesKeys],
] as const) {
  test(`a page without ${missing} does not stay in a ${encryption} meeting, and works after a reload`, async () => {
    const room = await service.makeRoom({ encryption });
    const ada = await Person.at(browser, "Ada", room.url, {
      prepare: (page) => page.context().route(file, (route) => route.fulfill({ status: 404 })),
    });
    const { page } = ada;
    await page.getByRole("textbox", { name: "Your name" }).fill("Ada");
    await page.getByRole("button", { name: "Join now" }).click();
    await page
      .getByRole("heading", { name: "This page could not load the part that encrypts meetings" })
      .waitFor(soon);
    await page.getByText("Check your connection, then reload the page.").waitFor(soon);
    const offers = page.getByRole("main").getByRole("button");
    expect(await offers.allTextContents()).toEqual(["Reload", "Go to the start page"]);
    await page.context().unroute(file);
    await offers.getByText("Reload").click();
    await ada.join();
  });
}
