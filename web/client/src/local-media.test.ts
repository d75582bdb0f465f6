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
