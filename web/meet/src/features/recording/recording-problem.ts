import { ServiceError } from "@conclave/client";
import type { RecordingEnd } from "@conclave/client/recording/recorder";
import type { RecordingObstacle } from "@conclave/client/recording/support";

/** Refusals of the service about which there is more to say than that it did not work. */
const refusals = [
  "recording_running",
  "no_recording_device",
  "storage_full",
  "limit_reached",
  "host_only",
] as const;

/** Why recording did not begin, as a key of the message catalogue. */
export function startProblem(error: unknown) {
  const obstacle = obstacleOf(error);
  if (obstacle) return `recording.cannot.${obstacle}` as const;
  const code = error instanceof ServiceError ? error.code : null;
  const known = refusals.find((one) => one === code);
  return known ? (`recording.refused.${known}` as const) : "recording.failed";
}

/** The recorder is fetched only when it is needed, and its errors are known by what they carry. */
function obstacleOf(error: unknown): RecordingObstacle | null {
  if (!(error instanceof Error) || !("obstacle" in error)) return null;
  return error.obstacle === "mobile" ? "mobile" : "browser";
}

/** What the person has to know of how their recording ended; null when they know already. */
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
    case "device_storage":
    case "encoder":
      return `recording.ended.${end}` as const;
  }
}
