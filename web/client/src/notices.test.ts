import { expect, test } from "vitest";
import { Notices, newsBetween } from "./notices.js";
import type { You } from "./wire.js";

const all = {
  microphone: true,
  camera: true,
  screen_share: true,
  chat: true,
  reactions: true,
  rename: true,
};
const noon = "2026-01-01T12:00:00.000Z";

function you(more: Partial<You> = {}): You {
  return {
    identity: "guest_a.x",
    name: "Ada",
    role: "participant",
    avatar: null,
    hand_raised: false,
    may: all,
    cohost: false,
    on_stage: false,
    muted_at: null,
    camera_stopped_at: null,
    asked_to_unmute_at: null,
    ...more,
  };
}

test("the state on joining gives no notice", () => {
  const now = you({ muted_at: noon, cohost: true, on_stage: true });
  expect(newsBetween(null, now, false)).toEqual([]);
  expect(newsBetween(now, now, true)).toEqual([]);
});

test("each mute by a host gives a notice, and each change of role", () => {
  const later = "2026-01-01T12:00:01.000Z";
  expect(newsBetween(you(), you({ muted_at: noon }), false)).toEqual(["muted_by_host"]);
  expect(newsBetween(you({ muted_at: noon }), you({ muted_at: later }), false)).toEqual([
    "muted_by_host",
  ]);
  expect(newsBetween(you(), you({ cohost: true, role: "host" }), false)).toEqual(["made_cohost"]);
  expect(newsBetween(you({ cohost: true }), you(), false)).toEqual(["cohost_ended"]);
  expect(newsBetween(you(), you({ on_stage: true }), false)).toEqual(["on_stage"]);
});

test("a stopped camera and a question of a host each give a notice, every time", () => {
  const later = "2026-01-01T12:00:01.000Z";
  for (const [field, kind] of [
    ["camera_stopped_at", "camera_stopped"],
    ["asked_to_unmute_at", "asked_to_unmute"],
  ] as const) {
    expect(newsBetween(you(), you({ [field]: noon }), false)).toEqual([kind]);
    expect(newsBetween(you({ [field]: noon }), you({ [field]: later }), false)).toEqual([kind]);
    expect(newsBetween(you({ [field]: noon }), you({ [field]: noon }), false)).toEqual([]);
  }
});

test("losing the right to share gives a notice only to a person who shares and stays on stage", () => {
  const withoutScreen = { ...all, screen_share: false };
  expect(newsBetween(you(), you({ may: withoutScreen }), true)).toEqual(["sharing_ended"]);
  expect(newsBetween(you(), you({ may: withoutScreen }), false)).toEqual([]);
  const left = you({ may: { ...withoutScreen, microphone: false, camera: false } });
  expect(newsBetween(you({ on_stage: true }), left, true)).toEqual(["back_in_audience"]);
});

test("the question to unmute goes when the person may not unmute any more", () => {
  const notices = new Notices();
  const kinds = () => notices.list.get().map(({ kind }) => kind);
  const silent = you({ may: { ...all, microphone: false } });
  notices.take(["asked_to_unmute", "made_cohost"], you(), false);
  notices.take(["back_in_audience"], silent, false);
  expect(kinds()).toEqual(["made_cohost", "back_in_audience"]);
  notices.take(["asked_to_unmute"], silent, false);
  expect(kinds()).toEqual(["made_cohost", "back_in_audience"]);
  notices.take(["asked_to_unmute"], you(), true);
  expect(kinds()).toEqual(["made_cohost", "back_in_audience"]);
});

test("a notice replaces an older one on the same subject, and a dismissed one is gone", () => {
  const notices = new Notices();
  const kinds = () => notices.list.get().map(({ kind }) => kind);
  notices.add("on_stage");
  notices.add("muted_by_host");
  notices.add("back_in_audience");
  expect(kinds()).toEqual(["muted_by_host", "back_in_audience"]);
  const [first] = notices.list.get();
  if (first) notices.dismiss(first);
  expect(kinds()).toEqual(["back_in_audience"]);
  notices.add("asked_to_unmute");
  notices.add("muted_by_host");
  expect(kinds()).toEqual(["back_in_audience", "muted_by_host"]);
});
