import { createDecipheriv, hkdfSync } from "node:crypto";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, Person, part, soon } from "./people";
import { ServiceUnderTest } from "./service";
import { type ForwardedFrame, Wiretap } from "./wiretap";

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  const camera = "--use-fake-device-for-media-stream=fps=5";
  [browser, service] = await Promise.all([openBrowser([camera]), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** The keys of frames that a device can make from the media keys it was given. */
function frameKeys(tap: Wiretap): readonly Uint8Array[] {
  const media = tap.keys.filter(({ kind }) => kind === "media");
  return media.map(
    ({ bytes }) =>
      new Uint8Array(hkdfSync("sha256", bytes, "LKFrameEncryptionKey", Buffer.alloc(128), 32)),
  );
}

/** The frames that a device can open. */
function openedBy(tap: Wiretap, frames: readonly ForwardedFrame[]): readonly ForwardedFrame[] {
  const keys = frameKeys(tap);
  return frames.filter((frame) => keys.some((key) => opens(key, frame)));
}

function opens(key: Uint8Array, { iv, clear, sealed }: ForwardedFrame): boolean {
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(iv, "base64"));
  decipher.setAAD(clear).setAuthTag(sealed.subarray(-16));
  decipher.update(sealed.subarray(0, -16));
  try {
    decipher.final();
    return true;
  } catch {
    return false;
  }
}

/** What the media server passed on from one device to another, sent in this time. */
function passedOn(from: Wiretap, to: Wiretap, after: number, before: number) {
  return to.frames.filter(({ iv }) => {
    const at = from.sentAt.get(iv);
    return at !== undefined && at >= after && at < before;
  });
}

/** Hedy is a host, and Bob is there from the beginning. */
async function meeting() {
  const room = await service.makeRoom({ encryption: "strict" });
  const [ofHedy, ofBob] = [await Wiretap.to(service.ports), await Wiretap.to(service.ports)];
  const hostLink = await service.invite(room, "Hedy", "host");
  const hedy = await Person.in(browser, "Hedy", hostLink, { line: ofHedy });
  const bob = await Person.in(browser, "Bob", room.url, { line: ofBob });
  await Promise.all([hedy.sees("Bob"), bob.sees("Hedy")]);
  return { room, hedy, bob, ofHedy, ofBob };
}

test("a removed device opens nothing that is sent two seconds later", async () => {
  const { room, hedy, bob, ofHedy, ofBob } = await meeting();
  const ofDan = await Wiretap.to(service.ports);
  const joining = Date.now();
  const dan = await Person.in(browser, "Dan", room.url, { line: ofDan });
  await Promise.all([bob.sees("Dan"), dan.sees("Hedy"), dan.sees("Bob")]);
  // The search for what he opens finds something while he is there.
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
  await part(hedy, bob, dan);
  for (const tap of [ofHedy, ofBob, ofDan]) tap.close();
});

test("a device that joins opens nothing that was sent before", async () => {
  const { room, hedy, bob, ofHedy, ofBob } = await meeting();
  const earlier = () => passedOn(ofHedy, ofBob, 0, Date.now());
  await expect.poll(() => earlier().length, soon).toBeGreaterThan(100);
  const frames = earlier();

  const ofCleo = await Wiretap.to(service.ports);
  const joining = Date.now();
  const cleo = await Person.in(browser, "Cleo", room.url, { line: ofCleo });
  await Promise.all([cleo.sees("Hedy"), bob.sees("Cleo")]);
  const sinceThen = () => openedBy(ofCleo, passedOn(ofHedy, ofBob, joining, Date.now()));
  await expect.poll(() => sinceThen().length, soon).toBeGreaterThan(50);
  expect(openedBy(ofCleo, frames)).toEqual([]);
  expect(openedBy(ofBob, frames).length).toBe(frames.length);
  await part(hedy, bob, cleo);
  for (const tap of [ofHedy, ofBob, ofCleo]) tap.close();
});
