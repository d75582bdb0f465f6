import { createMeeting, type Meeting, type MeetingOptions } from "@conclave/client";
import GroupWorker from "@conclave/client/strict/worker?worker";
import EncryptionWorker from "livekit-client/e2ee-worker?worker";

/** What the page gives to a meeting; the workers come from here. */
export type EnterOptions = Omit<MeetingOptions, "createEncryptionWorker" | "createGroupWorker">;

/** Enters a meeting. In a module of its own, because only a running meeting needs this code. */
export function enterMeeting(options: EnterOptions): Meeting {
  return createMeeting({
    ...options,
    createEncryptionWorker: () => new EncryptionWorker(),
    createGroupWorker: () => new GroupWorker(),
  });
}
