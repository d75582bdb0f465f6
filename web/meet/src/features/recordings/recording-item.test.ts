import { createElement } from "react";
import { expect, test, vi } from "vitest";
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

/** Loading React for a browser takes long on a busy machine. */
const patient = { timeout: 60_000 };

test(
  "a new title that is saved late does not end the playback that was begun since",
  patient,
  async () => {
    const recording = {
      id: "r",
      title: "Planning",
      status: "ready",
      parts: 0,
      started_at: "2026-01-01",
    };
    const item = createElement(RecordingItem, {
      recording: recording as Recording,
      room: "",
      reader: { zone: "UTC", locale: "en", now: 0 },
      keys: {} as Keys,
      onChanged: () => {},
    });
    const change = await live(item);
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
