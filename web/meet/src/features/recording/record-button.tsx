import type { RunningRecording } from "@conclave/client/door";
import { CallButton } from "@conclave/ui/call-button";
import { useObservable } from "@conclave/ui/use-observable";
import { Circle, CircleStop } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { RecorderControl } from "./recorder-control";

export interface RecordButtonProps {
  readonly control: RecorderControl;
  readonly running: RunningRecording | null;
  /** Narrow screens have room for few buttons, so they only offer to stop a running recording. */
  readonly isNarrow: boolean;
  /** The button was pressed, so an earlier failure is out of date. */
  readonly onPress: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** Begins a recording, or stops the one in this room. For the room's own hosts. */
export function RecordButton(props: RecordButtonProps) {
  const { control, running, isNarrow, onPress, onFailure } = props;
  const { t } = useTranslation();
  const state = useObservable(control.state);
  const isRunning = state === "recording" || (running !== null && !canTakeOver(running));
  const start = () => void control.start().catch(onFailure);
  const stop = () => void control.stop().catch(onFailure);
  if (isNarrow && !isRunning) return null;
  return (
    <CallButton
      label={isRunning ? t("recording.stop") : t("recording.record")}
      look={isRunning ? "on" : "plain"}
      icon={isRunning ? <CircleStop size={20} /> : <Circle size={20} />}
      isDisabled={state === "starting"}
      onPress={() => {
        onPress();
        if (isRunning) stop();
        else start();
      }}
    />
  );
}

/**
 * Whether this device may record instead: the one that did has lost its connection, or it was a page
 * of this very person which is gone.
 */
function canTakeOver({ away, mine }: RunningRecording): boolean {
  return away || mine;
}
