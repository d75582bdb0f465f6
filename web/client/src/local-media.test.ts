import { expect, test } from "vitest";
import { LocalMedia } from "./local-media.js";

/** A browser with two microphones, which opens them when the test says so. */
function twoMicrophones() {
  const opening: (() => void)[] = [];
  const mediaDevices = {
    enumerateDevices: async () => [],
    addEventListener: () => {},
    removeEventListener: () => {},
    getUserMedia: ({ audio }: { audio: { deviceId?: { exact: string } } }) =>
      new Promise((resolve) => {
        const track = { id: audio.deviceId?.exact ?? "first", enabled: true, readyState: "live" };
        const stop = () => Object.assign(track, { readyState: "ended" });
        opening.push(() => resolve({ getTracks: () => [Object.assign(track, { stop })] }));
      }),
  } as unknown as MediaDevices;
  const store = { getItem: () => null, setItem: () => {}, removeItem: () => {} };
  const media = new LocalMedia({ store, mediaDevices });
  const opened = () => opening.shift()?.();
  return { media, opened };
}

/** The microphone that is heard; null while none is. */
function heard({ microphone }: LocalMedia): string | null {
  const { on, track } = microphone.get();
  return on && track?.enabled && track.readyState === "live" ? track.id : null;
}

test("muting and unmuting opens nothing", async () => {
  const { media, opened } = twoMicrophones();
  const first = media.setMicrophone(true);
  opened();
  await first;
  expect(heard(media)).toBe("first");
  await media.setMicrophone(false);
  expect(heard(media)).toBeNull();
  await media.setMicrophone(true);
  expect(heard(media)).toBe("first");
});

test("a microphone that is chosen just before muting is heard afterwards", async () => {
  const { media, opened } = twoMicrophones();
  const first = media.setMicrophone(true);
  opened();
  await first;
  const chosen = media.choose("microphone", "second");
  await media.setMicrophone(false);
  opened(); // too late
  await chosen;
  expect(heard(media)).toBeNull();
  const again = media.setMicrophone(true);
  opened();
  await again;
  expect(heard(media)).toBe("second");
});

test("nothing is opened once the devices were let go for good", async () => {
  const { media, opened } = twoMicrophones();
  media.close();
  const late = media.setMicrophone(true);
  opened();
  await late;
  await media.choose("microphone", "second");
  expect(media.microphone.get()).toEqual({ on: false, track: null, problem: null });
});

test("push-to-talk is told from a microphone that is on, and letting go mutes only what it switched on", async () => {
  const { media, opened } = twoMicrophones();
  const talking = media.talk(true);
  opened();
  await talking;
  expect([heard(media), media.isTalking]).toEqual(["first", true]);
  await media.talk(false);
  expect([heard(media), media.isTalking]).toEqual([null, false]);
  await media.talk(true);
  await media.setMicrophone(false);
  await media.setMicrophone(true);
  await media.talk(false);
  expect([heard(media), media.isTalking]).toEqual(["first", false]);
  await media.talk(true);
  expect(media.isTalking).toBe(false);
});

interface Wanted {
  readonly deviceId?: { readonly exact: string };
}

/** Waits for everything that needs no answer of a device. */
const settled = () => new Promise((resolve) => setTimeout(resolve));

/**
 * A browser with its own microphone and camera, and a headset and a webcam that are plugged in and
 * out. It refuses the headset with the error that the test names, and keeps requests for a held device
 * waiting.
 */
function headsetBrowser() {
  const ids = ["own", "headset", "camera", "webcam"];
  const isCamera = (id: string) => id === "camera" || id === "webcam";
  const asked: string[] = [];
  const held = new Map<string, Promise<void>>();
  const tracks = new Map<string, { unplug: () => void }>();
  let changed = () => {};
  let refusal = "";
  const errorFor = (id: string) => {
    if (!ids.includes(id)) return new DOMException("It is not there.", "OverconstrainedError");
    return refusal && id === "headset" ? new DOMException("It is refused.", refusal) : null;
  };
  const mediaDevices = {
    enumerateDevices: async () =>
      ids.map((id) => ({
        deviceId: id,
        kind: isCamera(id) ? "videoinput" : "audioinput",
        label: id,
      })),
    addEventListener: (_: string, listener: () => void) => {
      changed = listener;
    },
    removeEventListener: () => {},
    getUserMedia: async ({ audio, video }: { audio?: Wanted; video?: Wanted }) => {
      const id = (audio ?? video)?.deviceId?.exact ?? (audio ? "own" : "camera");
      asked.push(id);
      const error = errorFor(id);
      await held.get(id);
      if (error) throw error;
      const track = Object.assign(new EventTarget(), { id, enabled: true, readyState: "live" });
      const end = () => Object.assign(track, { readyState: "ended" });
      const unplug = () => end().dispatchEvent(new Event("ended"));
      tracks.set(id, { unplug });
      return { getTracks: () => [Object.assign(track, { stop: end })] };
    },
  } as unknown as MediaDevices;
  const unplug = (...gone: string[]) => {
    for (const id of gone.length > 0 ? gone : ["headset"]) {
      ids.splice(ids.indexOf(id), 1);
      tracks.get(id)?.unplug();
    }
    changed();
  };
  const plugIn = (error = "", ...others: string[]) => {
    refusal = error;
    for (const id of ["headset", ...others]) if (!ids.includes(id)) ids.push(id);
    changed();
  };
  /** Until the function that it returns is called, requests for this device wait. */
  const hold = (id: string) => {
    let go = () => {};
    held.set(id, new Promise((resolve) => (go = resolve)));
    return () => {
      held.delete(id);
      go();
    };
  };
  const getItem = (key: string) => (key.endsWith(".camera") ? "webcam" : "headset");
  const store = { getItem, setItem: () => {}, removeItem: () => {} };
  const media = new LocalMedia({ store, mediaDevices });
  const times = (id: string) => asked.filter((one) => one === id).length;
  return { media, unplug, plugIn, hold, times, ids };
}

/** A person who uses the browser's microphone while the headset, plugged in again, is opened. */
async function returning(speak: (media: LocalMedia) => Promise<void>) {
  const browser = headsetBrowser();
  await speak(browser.media);
  browser.unplug();
  await expect.poll(() => heard(browser.media)).toBe("own");
  const asked = browser.times("headset");
  const opened = browser.hold("headset");
  browser.plugIn();
  await expect.poll(() => browser.times("headset")).toBe(asked + 1);
  return { ...browser, opened };
}

test("a chosen microphone is used again once it is plugged in again", async () => {
  const { media, unplug, plugIn } = headsetBrowser();
  await media.setMicrophone(true);
  expect(heard(media)).toBe("headset");
  unplug();
  await expect.poll(() => heard(media)).toBe("own");
  // What works meanwhile goes on while the headset is not ready.
  plugIn("NotReadableError");
  await expect.poll(() => media.devices.get().microphone.length).toBe(2);
  expect(heard(media)).toBe("own");
  plugIn();
  await expect.poll(() => heard(media)).toBe("headset");
});

test("a chosen microphone that comes back while muted is heard after unmuting", async () => {
  const { media, unplug, plugIn } = headsetBrowser();
  await media.setMicrophone(true);
  unplug();
  await expect.poll(() => heard(media)).toBe("own");
  await media.setMicrophone(false);
  plugIn();
  await expect.poll(() => media.microphone.get().track).toBeNull();
  expect(heard(media)).toBeNull();
  await media.setMicrophone(true);
  expect(heard(media)).toBe("headset");
});

test.each([
  ["mutes", (media: LocalMedia) => media.setMicrophone(false)],
  ["lets go of the key", (media: LocalMedia) => media.talk(false)],
])("a person who %s while their microphone comes back uses it next", async (_, silence) => {
  const { media, opened } = await returning((mine) => mine.talk(true));
  await silence(media);
  opened();
  await expect.poll(() => media.microphone.get().track).toBeNull();
  expect(media.microphone.get().on).toBe(false);
  await media.talk(true);
  expect(heard(media)).toBe("headset");
});

test("a person who mutes and unmutes while their microphone comes back is heard with it", async () => {
  const { media, opened } = await returning((mine) => mine.setMicrophone(true));
  await media.setMicrophone(false);
  await media.setMicrophone(true);
  expect(heard(media)).toBe("own");
  opened();
  await expect.poll(() => heard(media)).toBe("headset");
});

test("a microphone that comes back is opened once, however many devices change", async () => {
  const { media, opened, plugIn, times } = await returning((mine) => mine.setMicrophone(true));
  const asked = times("headset");
  plugIn();
  await settled();
  opened();
  await expect.poll(() => heard(media)).toBe("headset");
  expect(times("headset")).toBe(asked);
});

test("a person who refuses the microphone that comes back is not asked again", async () => {
  const { media, unplug, plugIn, times } = headsetBrowser();
  await media.setMicrophone(true);
  unplug();
  await expect.poll(() => heard(media)).toBe("own");
  const asked = times("headset");
  plugIn("NotAllowedError");
  await expect.poll(() => times("headset")).toBe(asked + 1);
  plugIn();
  await expect.poll(() => media.devices.get().microphone.length).toBe(2);
  await settled();
  expect([heard(media), times("headset")]).toEqual(["own", asked + 1]);
});

test("a camera comes back while the browser asks about the microphone", async () => {
  const { media, unplug, plugIn, hold } = headsetBrowser();
  const seen = () => media.camera.get().track?.id;
  await media.setMicrophone(true);
  await media.setCamera(true);
  unplug("headset", "webcam");
  await expect.poll(() => [heard(media), seen()]).toEqual(["own", "camera"]);
  hold("headset"); // nobody answers
  plugIn("", "webcam");
  await expect.poll(seen).toBe("webcam");
  expect(heard(media)).toBe("own");
});

test("a microphone comes back while the browser asks about one chosen earlier", async () => {
  // Nobody answers for the headset.
  const { media, unplug, plugIn } = await returning((mine) => mine.setMicrophone(true));
  plugIn("", "lapel");
  await media.choose("microphone", "lapel");
  expect(heard(media)).toBe("lapel");
  unplug("lapel");
  await expect.poll(() => heard(media)).toBe("own");
  plugIn("", "lapel");
  await expect.poll(() => heard(media)).toBe("lapel");
});

test("a microphone that is plugged out and in again at once is used", async () => {
  const { media, unplug, plugIn, hold } = headsetBrowser();
  await media.setMicrophone(true);
  const refused = hold("headset");
  unplug();
  plugIn();
  await settled();
  refused();
  await expect.poll(() => heard(media)).toBe("headset");
});

test("a microphone that came while the default one was opened stays open while muted", async () => {
  const { media, plugIn, hold, times } = headsetBrowser();
  await media.setMicrophone(true);
  const opened = hold("own");
  const chosen = media.choose("microphone", "lapel");
  await expect.poll(() => times("own")).toBe(1);
  plugIn("", "lapel");
  await expect.poll(() => heard(media)).toBe("lapel");
  opened(); // too late
  await chosen;
  const asked = times("lapel");
  await media.setMicrophone(false);
  await media.setMicrophone(true);
  expect([heard(media), times("lapel")]).toEqual(["lapel", asked]);
});

test("a microphone that went off does not go on when the chosen one comes back", async () => {
  const { media, unplug, plugIn, hold, times, ids } = headsetBrowser();
  await media.setMicrophone(true);
  ids.splice(0, 1);
  const refused = hold("own");
  unplug();
  await expect.poll(() => times("own")).toBe(1);
  const opened = hold("headset");
  plugIn();
  await settled();
  refused();
  await expect.poll(() => media.microphone.get().problem).toBe("missing");
  opened();
  await settled();
  expect(media.microphone.get()).toEqual({ on: false, track: null, problem: "missing" });
});
