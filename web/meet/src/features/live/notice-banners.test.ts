import type { Notice } from "@conclave/client";
import { Value } from "@conclave/client/pre-join";
import { createElement } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeMedia } from "../../../dev/fake-meeting";
import { live } from "../../../dev/live-page";
import type { LiveMeeting } from "./live-meeting";
import { NoticeBanners } from "./notice-banners";

/** Loading React for a browser takes long on a busy machine. */
const patient = { timeout: 60_000 };

beforeEach(() => {
  vi.useFakeTimers(); // some notices disappear by themselves
});
afterEach(() => {
  vi.useRealTimers();
});

/** The page of a person with microphone and camera off who gets these notices. */
async function setup(...kinds: Notice["kind"][]) {
  const notices = new Value<readonly Notice[]>(kinds.map((kind, id) => ({ id, kind })));
  const localMedia = fakeMedia(false, false);
  const dismiss = ({ id }: Notice) =>
    notices.update((shown) => shown.filter((notice) => notice.id !== id));
  const meeting = { notices, localMedia, dismiss } as unknown as LiveMeeting;
  const change = await live(createElement(NoticeBanners, { meeting }));
  return { change, localMedia, shown: () => notices.get().map(({ kind }) => kind) };
}

test("a notice about a camera goes when the person starts it again", patient, async () => {
  const { change, localMedia, shown } = await setup("camera_stopped", "muted_by_host");
  expect(shown()).toEqual(["camera_stopped", "muted_by_host"]);
  await change(() => localMedia.setCamera(true));
  expect(shown()).toEqual(["muted_by_host"]);
});

test("notices about a microphone go when the person unmutes", patient, async () => {
  const { change, localMedia, shown } = await setup("muted_by_host", "camera_stopped");
  await change(() => localMedia.setMicrophone(true));
  expect(shown()).toEqual(["camera_stopped"]);
  const asked = await setup("asked_to_unmute", "made_cohost");
  await asked.change(() => asked.localMedia.setMicrophone(true));
  expect(asked.shown()).toEqual(["made_cohost"]);
});

test(
  "an invitation to the stage stays until both microphone and camera are on",
  patient,
  async () => {
    const { change, localMedia, shown } = await setup("on_stage");
    await change(() => localMedia.setMicrophone(true));
    expect(shown()).toEqual(["on_stage"]);
    await change(() => localMedia.setCamera(true));
    expect(shown()).toEqual([]);
  },
);
