import { ServiceError } from "@conclave/client";
import { type Observable, type RunningRecording, Value } from "@conclave/client/pre-join";
import type { RecorderState } from "@conclave/client/recording/recorder";
import type { BannerProps } from "@conclave/ui/banner";
import { createElement } from "react";
import { expect, test, vi } from "vitest";
import { drawnWhole, statusesOf } from "../../../dev/drawn-page";
import type { RecorderControl } from "./recorder-control";
import { RecordingBanners, type RecordingBannersProps } from "./recording-banners";

// The banners are drawn once, as on a server.
vi.mock("@conclave/ui/use-observable", () => ({
  useObservable: (value: Observable<unknown>) => value.get(),
}));

// Whether it is a banner's turn is known only in a browser.
vi.mock("@conclave/ui/banner", () => {
  const Banner = ({ rank, children }: BannerProps) =>
    createElement("div", { role: "status", "data-rank": rank }, children);
  return { Banner, PassingBanner: Banner, Dismiss: () => null };
});

interface Played {
  readonly isOfMember?: boolean;
  readonly isKept?: boolean;
  readonly isSilent?: boolean;
  readonly state?: RecorderState["kind"];
  readonly running?: RunningRecording | null;
  readonly replaced?: string | null;
  readonly failure?: RecordingBannersProps["failure"];
}

/** The banners of a person whose recorder is as the test says. */
function banners(played: Played) {
  const { isOfMember = true, isKept = false, state = "idle" } = played;
  const { running = null, replaced = null, failure = null, isSilent = false } = played;
  const control = {
    isOfMember,
    isKept: new Value(isKept),
    state: new Value(state),
    replaced: new Value(replaced),
    ended: new Value(null),
    sending: new Value(0),
    isStalled: new Value(false),
    isSilent: new Value(isSilent),
  };
  return createElement(RecordingBanners, {
    control: control as unknown as RecorderControl,
    running,
    place: null,
    now: () => 0,
    onChange: () => {},
    isNarrow: false,
    failure,
    onFailureSeen: () => {},
  });
}

test("a member who stopped a recording is led to it", async () => {
  const page = banners({ isKept: true });
  expect(statusesOf(page)[0]).toContain("You find it on the recordings page.");
  expect(await drawnWhole(page)).toContain('href="/recordings"');
});

test("a host without an account is led to no page that asks for one", async () => {
  const page = banners({ isKept: true, isOfMember: false });
  expect(statusesOf(page)[0]).toContain("Members of the workspace find it");
  expect(await drawnWhole(page)).not.toContain("href");
});

test("what was stopped waits until nobody knocks, where there is room for one banner", async () => {
  expect(await drawnWhole(banners({ isKept: true }))).toContain('data-rank="lasting"');
});

const ownRecording = {
  id: "r",
  started_at: new Date(0).toISOString(),
  mine: true,
} as RunningRecording;

/** The banners that say that a recording is starting. */
const starting = (played: Played) =>
  statusesOf(banners({ ...played, state: "starting" })).filter((text) => text?.startsWith("Start"));

test("a recording that runs on this device is not starting any more", () => {
  expect(starting({ running: null })).toHaveLength(1);
  expect(starting({ running: ownRecording })).toHaveLength(0);
});

test("a recording that takes over from an earlier page of the person is starting", () => {
  expect(starting({ running: ownRecording, replaced: ownRecording.id })).toHaveLength(1);
  expect(starting({ running: ownRecording, replaced: "earlier" })).toHaveLength(0);
});

test.each([
  ["start", "The recording could not begin. Try again."],
  ["stop", "The recording could not be stopped. Try again."],
] as const)("a recording that a person could not %s is called that", (act, text) => {
  const failure = { act, error: new TypeError("Failed to fetch") };
  expect(statusesOf(banners({ failure }))).toEqual([text]);
});

test.each([
  ["host_only", "Only hosts of this room may stop the recording."],
  ["not_found", "This recording has been deleted, so there is nothing to stop."],
] as const)("a person who cannot stop a recording (%s) is not asked to try again", (code, text) => {
  const failure = { act: "stop", error: new ServiceError(403, code, "No.", null) } as const;
  expect(statusesOf(banners({ failure }))).toEqual([text]);
});

test("a host whose connection has been away is not told that they are no host", () => {
  const error = new ServiceError(403, "not_in_meeting", "No.", null);
  const page = banners({ failure: { act: "stop", error } });
  expect(statusesOf(page)).toEqual(["The recording could not be stopped. Try again."]);
});

test("a host whose browser records no sound is told what to do", () => {
  const text =
    "This browser records no sound: it finds no device to play sound on. Connect one, or record with another browser.";
  expect(statusesOf(banners({ isSilent: true }))).toEqual([text]);
  expect(statusesOf(banners({}))).toEqual([]);
});
