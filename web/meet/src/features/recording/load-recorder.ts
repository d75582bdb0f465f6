import { type RecordedMeeting, Recorder } from "@conclave/client/recording/recorder";
import soundWorkletUrl from "@conclave/client/recording/sound-worklet?worker&url";
import RecordingWorker from "@conclave/client/recording/worker?worker";
import { drawAvatar } from "./draw-avatar";

/** The part of the interface that only a recording device needs. */
export function newRecorder(meeting: RecordedMeeting): Recorder {
  const createWorker = () => new RecordingWorker();
  return new Recorder({ meeting, soundWorkletUrl, createWorker, drawAvatar });
}
