import { ServiceError } from "@conclave/client";
import type { RecordingEnd } from "@conclave/client/recording/recorder";
import type { RecordingObstacle } from "@conclave/client/recording/support";

/** The error codes that have a text of their own. */
const refusals = [
  "recording_running",
  "no_recording_device",
  "storage_full",
  "limit_reached",
  "host_only",
] as const;

/** What a person asked for that could not be done. */
export interface RecordingFailure {
  readonly act: "start" | "stop";
  readonly error: unknown;
}

/** What to say of a failure, as a key of the message catalogue. */
export function failureProblem({ act, error }: RecordingFailure) {
  return act === "stop" ? stopProblem(error) : startProblem(error);
}

/** Why a recording was not stopped, as a key of the message catalogue. */
function stopProblem(error: unknown) {
  switch (error instanceof ServiceError ? error.code : null) {
    case "host_only":
      return "recording.stopRefused.host_only";
    case "not_found":
      return "recording.stopRefused.not_found";
    default:
      return "recording.notStopped";
  }
}

/** Why a recording did not begin, as a key of the message catalogue. */
function startProblem(error: unknown) {
  const obstacle = obstacleOf(error);
  if (obstacle) return `recording.cannot.${obstacle}` as const;
  const code = error instanceof ServiceError ? error.code : null;
  const known = refusals.find((one) => one === code);
  return known ? (`recording.refused.${known}` as const) : "recording.failed";
}

/** Recognises the recorder's error by its fields, because its class is loaded only when needed. */
function obstacleOf(error: unknown): RecordingObstacle | null {
  if (!(error instanceof Error) || !("obstacle" in error)) return null;
  return error.obstacle === "mobile" ? "mobile" : "browser";
}

/** Why the person's recording ended, as a key of the message catalogue; null if they know it. */
export function endProblem(end: RecordingEnd | null) {
  switch (end) {
    case null:
    case "stopped":
    case "left":
      return null;
    case "moved":
    case "not_host":
    case "taken_over":
    case "storage_full":
    case "limit_reached":
    case "too_late":
    case "deleted":
    case "device_storage":
    case "encoder":
      return `recording.ended.${end}` as const;
  }
}
