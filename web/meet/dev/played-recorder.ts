import { Value } from "@conclave/client/pre-join";
import type { RecordingEnd } from "@conclave/client/recording/recorder";

/** A recorder that a page watches. The test says how it fares. */
export function playedRecorder(isSending: boolean, isOfMember = true) {
  return {
    isOfMember,
    isUnsent: new Value(isSending),
    isStalled: new Value(false),
    ended: new Value<RecordingEnd | null>(null),
  };
}
