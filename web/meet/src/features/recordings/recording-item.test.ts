import { createElement } from "react";
import { expect, test, vi } from "vitest";
import { drawnWhole } from "../../../dev/drawn-page";
import { live } from "../../../dev/live-page";
import type { Keys } from "./open-recording";
import type { RecordingActionsProps } from "./recording-actions";
import { RecordingItem } from "./recording-item";
import type { Recording } from "./recordings-service";
import type { TitleDialogProps } from "./title-dialog";

const drawn = vi.hoisted(() => ({
  actions: null as RecordingActionsProps | null,
  title: null as TitleDialogProps | null,
  isPlaying: false,
}));

vi.mock("./recording-actions", () => ({
  RecordingActions: (props: RecordingActionsProps) => {
    drawn.actions = props;
    return null;
  },
}));
vi.mock("./title-dialog", () => ({
  TitleDialog: (props: TitleDialogProps) => {
    drawn.title = props;
    return null;
  },
}));
vi.mock("./player-dialog", async () => {
  const { useEffect } = await import("react");
  const PlayerDialog = () => {
    useEffect(() => {
      drawn.isPlaying = true;
      return () => {
        drawn.isPlaying = false;
      };
    }, []);
    return null;
  };
  return { PlayerDialog };
});
vi.mock("./download-line", () => ({ DownloadLine: () => null }));

/** A recording with the title "Planning", of a room with this name. */
function itemIn(room: string) {
  const recording = {
    id: "r",
    title: "Planning",
    status: "ready",
    parts: 0,
    started_at: "2026-01-01",
  };
  return createElement(RecordingItem, {
    recording: recording as Recording,
    room,
    reader: { zone: "UTC", locale: "en", now: 0 },
    keys: {} as Keys,
    onChanged: () => {},
  });
}

test("a recording that is called like its room says the name once", async () => {
  const says = async (room: string) => (await drawnWhole(itemIn(room))).split(/[<>]| · /);
  expect((await says("Planning")).filter((text) => text === "Planning")).toHaveLength(1);
  expect(await says("Studio")).toEqual(expect.arrayContaining(["Planning", "Studio"]));
});

/** Loading React for a browser takes long on a busy machine. */
const patient = { timeout: 60_000 };

test(
  "a new title that is saved late does not end the playback that was begun since",
  patient,
  async () => {
    const change = await live(itemIn(""));
    await change(() => drawn.actions?.onOpen("rename"));
    const { onClose } = drawn.title ?? {};
    // The person does not wait for the answer.
    await change(() => onClose?.());
    await change(() => drawn.actions?.onOpen("play"));
    expect(drawn.isPlaying).toBe(true);
    await change(() => onClose?.());
    expect(drawn.isPlaying).toBe(true);
  },
);
