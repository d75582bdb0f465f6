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

/** A browser with its own microphone, and a headset that is plugged in and out. */
function headsetBrowser() {
  const ids = ["own", "headset"];
  const tracks = new Map<string, { unplug: () => void }>();
  let changed = () => {};
  let isBusy = false;
  const mediaDevices = {
    enumerateDevices: async () =>
      ids.map((deviceId) => ({ deviceId, kind: "audioinput", label: deviceId })),
    addEventListener: (_: string, listener: () => void) => {
      changed = listener;
    },
    removeEventListener: () => {},
    getUserMedia: async ({ audio }: { audio: { deviceId?: { exact: string } } }) => {
      const id = audio.deviceId?.exact ?? "own";
      if (!ids.includes(id)) throw new DOMException("It is not there.", "OverconstrainedError");
      if (isBusy) throw new DOMException("It is not ready.", "NotReadableError");
      const track = Object.assign(new EventTarget(), { id, enabled: true, readyState: "live" });
      const end = () => Object.assign(track, { readyState: "ended" });
      const unplug = () => end().dispatchEvent(new Event("ended"));
      tracks.set(id, { unplug });
      return { getTracks: () => [Object.assign(track, { stop: end })] };
    },
  } as unknown as MediaDevices;
  const unplug = () => {
    ids.splice(ids.indexOf("headset"), 1);
    tracks.get("headset")?.unplug();
    changed();
  };
  const plugIn = (busy = false) => {
    isBusy = busy;
    if (!ids.includes("headset")) ids.push("headset");
    changed();
  };
  const store = { getItem: () => "headset", setItem: () => {}, removeItem: () => {} };
  return { media: new LocalMedia({ store, mediaDevices }), unplug, plugIn };
}

test("a chosen microphone is used again once it is plugged in again", async () => {
  const { media, unplug, plugIn } = headsetBrowser();
  await media.setMicrophone(true);
  expect(heard(media)).toBe("headset");
  unplug();
  await expect.poll(() => heard(media)).toBe("own");
  // What works meanwhile goes on while the headset is not ready.
  plugIn(true);
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
