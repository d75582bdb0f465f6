import type { RunningRecording } from "@conclave/client/pre-join";
import { CallButton } from "@conclave/ui/call-button";
import { useObservable } from "@conclave/ui/use-observable";
import { Circle, CircleStop } from "lucide-react";
import { MenuItem } from "react-aria-components";
import { useTranslation } from "react-i18next";
import type { RecorderControl } from "./recorder-control";
import type { RecordingFailure } from "./recording-problem";
import "@conclave/ui/menu.css";

export interface RecordProps {
  readonly control: RecorderControl;
  readonly running: RunningRecording | null;
  /** The person asked for something, so an earlier failure is out of date. */
  readonly onPress: () => void;
  readonly onFailure: (failure: RecordingFailure) => void;
}

export interface RecordButtonProps extends RecordProps {
  /**
   * Narrow screens have room for few buttons, so they only offer to stop a running recording. The
   * menu has the other one.
   */
  readonly isNarrow: boolean;
}

/** Whether this room is recorded, and functions that change it. */
function useRecord({ control, running, onPress, onFailure }: RecordProps) {
  const state = useObservable(control.state);
  const after = (act: "start" | "stop") => () => {
    onPress();
    control[act]().catch((error: unknown) => onFailure({ act, error }));
  };
  return {
    isRunning: state === "recording" || (running !== null && !canTakeOver(running)),
    isStarting: state === "starting",
    start: after("start"),
    stop: after("stop"),
  };
}

/** Begins a recording, or stops the one in this room. For the room's own hosts. */
export function RecordButton({ isNarrow, ...props }: RecordButtonProps) {
  const { t } = useTranslation();
  const { isRunning, isStarting, start, stop } = useRecord(props);
  if (isNarrow && !isRunning) return null;
  return (
    <CallButton
      label={isRunning ? t("recording.stop") : t("recording.record")}
      look={isRunning ? "on" : "plain"}
      icon={isRunning ? <CircleStop size={20} /> : <Circle size={20} />}
      isDisabled={isStarting}
      onPress={isRunning ? stop : start}
    />
  );
}

/** The item of a menu that begins a recording. For the room's own hosts, on narrow screens. */
export function RecordEntry(props: RecordProps) {
  const { t } = useTranslation();
  const { isRunning, isStarting, start } = useRecord(props);
  if (isRunning) return null;
  const label = t("recording.record");
  return (
    <MenuItem className="menu-item" textValue={label} isDisabled={isStarting} onAction={start}>
      <Circle size={20} />
      {label}
    </MenuItem>
  );
}

/**
 * Whether this device may record instead: the one that did has lost its connection, or it was an
 * earlier page of the same person.
 */
function canTakeOver({ away, mine }: RunningRecording): boolean {
  return away || mine;
}
