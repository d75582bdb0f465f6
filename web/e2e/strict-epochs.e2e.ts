import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openedWith, passedOn } from "./frame-keys";
import { openBrowser, Person, part, soon } from "./people";
import { SecretWatch } from "./secret-watch";
import { ServiceUnderTest } from "./service";
import type { ForwardedFrame, Wiretap } from "./wiretap";

let browser: Browser;
let service: ServiceUnderTest;
let watch: SecretWatch;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
  watch = new SecretWatch(service);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** The frames that a device can open. */
function openedBy(tap: Wiretap, frames: readonly ForwardedFrame[]): readonly ForwardedFrame[] {
  const media = tap.keys.filter(({ kind }) => kind === "media");
  return openedWith(
    media.map(({ bytes }) => bytes),
    frames,
  );
}

/** Hedy is a host, and Bob is there from the beginning. */
async function meeting() {
  const room = await service.makeRoom({ encryption: "strict" });
  const [ofHedy, ofBob] = [
    await watch.line({ withFrames: true }),
    await watch.line({ withFrames: true }),
  ];
  const hostLink = await service.invite(room, "Hedy", "host");
  const hedy = await Person.in(browser, "Hedy", hostLink, { line: ofHedy });
  const bob = await Person.in(browser, "Bob", room.url, { line: ofBob });
  await Promise.all([hedy.sees("Bob"), bob.sees("Hedy")]);
  return { room, hedy, bob, ofHedy, ofBob };
}

test("a removed device opens nothing that is sent two seconds later", async () => {
  const { room, hedy, bob, ofHedy, ofBob } = await meeting();
  const ofDan = await watch.line({ withFrames: true });
  const joining = Date.now();
  const dan = await Person.in(browser, "Dan", room.url, { line: ofDan });
  await Promise.all([bob.sees("Dan"), dan.sees("Hedy"), dan.sees("Bob")]);
  // While he is there he opens frames, so the check below can fail.
  const whileThere = () => openedBy(ofDan, passedOn(ofHedy, ofBob, joining, Date.now()));
  await expect.poll(() => whileThere().length, soon).toBeGreaterThan(50);

  await hedy.chooseAbout("Dan", "Remove");
  const question = hedy.page.getByRole("alertdialog", { name: "Remove Dan?" });
  await question.getByRole("button", { name: "Remove" }).click();
  await dan.page.getByText("You were removed from the meeting").waitFor(soon);
  const removed = Date.now();
  const later = () => passedOn(ofHedy, ofBob, removed + 2000, Number.POSITIVE_INFINITY);
  await expect.poll(() => later().length, soon).toBeGreaterThan(100);
  const frames = later();
  expect(openedBy(ofDan, frames)).toEqual([]);
  expect(openedBy(ofBob, frames).length).toBe(frames.length);
  await watch.look();
  await part(hedy, bob, dan);
});

test("a device that joins opens nothing that was sent before", async () => {
  const { room, hedy, bob, ofHedy, ofBob } = await meeting();
  const earlier = () => passedOn(ofHedy, ofBob, 0, Date.now());
  await expect.poll(() => earlier().length, soon).toBeGreaterThan(100);
  const frames = earlier();

  const ofCleo = await watch.line({ withFrames: true });
  const joining = Date.now();
  const cleo = await Person.in(browser, "Cleo", room.url, { line: ofCleo });
  await Promise.all([cleo.sees("Hedy"), bob.sees("Cleo")]);
  const sinceThen = () => openedBy(ofCleo, passedOn(ofHedy, ofBob, joining, Date.now()));
  await expect.poll(() => sinceThen().length, soon).toBeGreaterThan(50);
  expect(openedBy(ofCleo, frames)).toEqual([]);
  expect(openedBy(ofBob, frames).length).toBe(frames.length);
  await watch.look();
  await part(hedy, bob, cleo);
});

test("a search finds no key of these meetings at the service", async () => {
  await watch.expectNothing("Hedy");
});
