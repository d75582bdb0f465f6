import { afterEach, expect, test, vi } from "vitest";
import { noDevices } from "./devices.js";
import type { LocalSource } from "./local-media.js";
import { Value } from "./observable.js";
import { OwnMedia } from "./own-media.js";
import { ScreenSource } from "./screen-capture.js";
import { fakeLink } from "./testing/fake-link.js";

const on: LocalSource = { on: true, track: null, problem: null };
const everything = {
  microphone: true,
  camera: true,
  screen_share: true,
  chat: true,
  reactions: true,
  rename: true,
};

afterEach(() => vi.unstubAllGlobals());

/** A browser whose question what to share is answered later. */
function askingBrowser() {
  const tracks: { stopped: boolean }[] = [];
  const answers: (() => void)[] = [];
  const getDisplayMedia = () =>
    new Promise((resolve) => {
      answers.push(() => {
        const track = { stopped: false, contentHint: "", addEventListener: () => {} };
        tracks.push(track);
        const video = Object.assign(track, { stop: () => Object.assign(track, { stopped: true }) });
        resolve({
          getTracks: () => [video],
          getVideoTracks: () => [video],
          getAudioTracks: () => [],
        });
      });
    });
  vi.stubGlobal("navigator", { mediaDevices: { getDisplayMedia } });
  return { tracks, answer: () => answers.shift()?.() };
}

/** A person in the main room with microphone and camera on. */
async function setup() {
  const fake = fakeLink();
  const microphone = new Value(on);
  const camera = new Value(on);
  const screen = new ScreenSource();
  const own = new OwnMedia({
    identity: "guest_a.x",
    localMedia: {
      microphone,
      camera,
      devices: new Value(noDevices),
      chosen: () => new Value(""),
      setMicrophone: async (wanted) => microphone.update((source) => ({ ...source, on: wanted })),
      setCamera: async (wanted) => camera.update((source) => ({ ...source, on: wanted })),
      close: () => {},
    },
    screen,
    link: fake.link,
    onChange: () => {},
  });
  await fake.enter();
  return { ...fake, own, microphone, camera, screen };
}

test("a person who is muted during a move publishes no microphone in the new room", async () => {
  const { own, link, connecting, entered, log, answer } = await setup();
  link.moveTo("r1");
  await answer("r1");
  const next = await connecting.next();
  own.apply({ may: everything }, ["muted_by_host"]);
  next.goThrough();
  await entered.next();
  expect(log).toContain("publish microphone off in main");
  expect(log).toContain("publish microphone off in r1");
  expect(log).toContain("publish camera on in r1");
  expect(log).not.toContain("publish microphone on in r1");
});

test("what hosts stopped during an interruption stays off, and a host's question switches nothing on", async () => {
  const { own, microphone, camera } = await setup();
  own.apply({ may: everything }, ["camera_stopped"]);
  expect([microphone.get().on, camera.get().on]).toEqual([true, false]);
  own.apply({ may: everything }, ["muted_by_host"]);
  own.apply({ may: everything }, ["asked_to_unmute"]);
  expect([microphone.get().on, camera.get().on]).toEqual([false, false]);
});

test("losing a right switches off what it allowed, and getting it back switches nothing on", async () => {
  const { own, microphone, camera } = await setup();
  own.apply({ may: { ...everything, camera: false } }, []);
  expect([microphone.get().on, camera.get().on]).toEqual([true, false]);
  own.apply({ may: { ...everything, microphone: false, camera: false } }, []);
  expect([microphone.get().on, camera.get().on]).toEqual([false, false]);
  own.apply({ may: everything }, []);
  expect([microphone.get().on, camera.get().on]).toEqual([false, false]);
});

test("what is switched on without the right to it goes off, and stays off with a later right", async () => {
  const { own, microphone, camera, log } = await setup();
  const audience = { ...everything, microphone: false, camera: false };
  own.apply({ may: audience }, []);
  const before = log.length;
  microphone.set(on);
  camera.set(on);
  expect([microphone.get().on, camera.get().on]).toEqual([false, false]);
  own.apply({ may: everything }, ["on_stage"]);
  expect([microphone.get().on, camera.get().on]).toEqual([false, false]);
  expect(log.slice(before).filter((entry) => entry.includes(" on in "))).toEqual([]);
});

test("nothing is published after the end", async () => {
  const { own, microphone, log } = await setup();
  own.close();
  const before = [...log];
  microphone.set({ ...on, on: false });
  expect(log).toEqual(before);
});

test("a screen that is chosen after sharing was stopped is not shared", async () => {
  const browser = askingBrowser();
  const { own, screen } = await setup();
  const revoked = [
    () => own.apply({ may: { ...everything, screen_share: false } }, []),
    () => screen.stop(), // as a move does
    () => own.close(),
  ];
  for (const revoke of revoked) {
    const sharing = screen.start();
    revoke();
    browser.answer();
    expect(await sharing).toBe(false);
    expect(screen.capture.get()).toBeNull();
  }
  expect(browser.tracks.map(({ stopped }) => stopped)).toEqual([true, true, true]);
  expect(await screen.start()).toBe(false); // after the end nothing is asked any more
});

test("a screen that is chosen in time is shared", async () => {
  const browser = askingBrowser();
  const { screen, own } = await setup();
  const sharing = screen.start();
  browser.answer();
  expect(await sharing).toBe(true);
  expect(screen.capture.get()).not.toBeNull();
  own.close();
  expect(browser.tracks.map(({ stopped }) => stopped)).toEqual([true]);
});

test("a chosen speaker is used again once it is plugged in again", () => {
  const devices = new Value(noDevices);
  const used: string[] = [];
  const off: LocalSource = { ...on, on: false };
  const own = new OwnMedia({
    identity: "guest_a.x",
    localMedia: {
      microphone: new Value(off),
      camera: new Value(off),
      devices,
      chosen: () => new Value("headset"),
      setMicrophone: async () => {},
      setCamera: async () => {},
      close: () => {},
    },
    screen: new ScreenSource(),
    link: { publish: () => {}, setSpeaker: (id) => used.push(id) },
    onChange: () => {},
  });
  const list = (...ids: string[]) =>
    devices.set({ ...noDevices, speaker: ids.map((id) => ({ id, label: id })) });
  list("own", "headset");
  list("own");
  used.splice(0);
  list("own", "headset");
  expect(used).toEqual(["headset"]);
  list("own", "headset", "screen");
  expect(used).toEqual(["headset"]);
  own.close();
});
