import type { Phase } from "../phase.js";
import { isOwnHost } from "../roster.js";
import type { You } from "../wire.js";
import type { WorkerFailure } from "./worker-messages.js";

/**
 * Why a recording ended. `stopped`: a host stopped it, or the service did because the meeting
 * ended. `moved`: this device went to another room of the meeting. `not_host`: the person may not
 * record any more. `taken_over`: another device records instead. `too_late`: the service accepts no
 * more parts, and some are missing. `deleted`: somebody deleted the recording.
 */
export type TakeEnd =
  | "stopped"
  | "moved"
  | "left"
  | "not_host"
  | "taken_over"
  | "storage_full"
  | "limit_reached"
  | "too_late"
  | "deleted"
  | WorkerFailure;

/** What decides whether a recording goes on. */
export interface TakeSituation {
  readonly phase: Phase;
  /** Whether the device has moved to another room of the meeting since the recording began. */
  readonly hasMoved: boolean;
  readonly you: Pick<You, "role" | "cohost"> | null;
  /** The recording that runs in this room, and the one of this device. */
  readonly running: string | null;
  readonly id: string;
}

/** Why this recording has to end now; null while it goes on. */
export function endOf({ phase, hasMoved, you, running, id }: TakeSituation): TakeEnd | null {
  if (phase.kind === "ended") return "left";
  if (hasMoved) return "moved";
  if (you && !isOwnHost(you)) return "not_host";
  if (running === id) return null;
  return running === null ? "stopped" : "taken_over";
}
