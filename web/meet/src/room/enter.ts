import { createMeeting, type Meeting, type MeetingOptions } from "@conclave/client";
import EncryptionWorker from "livekit-client/e2ee-worker?worker";

/** Enters a meeting. In a module of its own, because only a running meeting needs this code. */
export function enterMeeting(options: Omit<MeetingOptions, "createEncryptionWorker">): Meeting {
  return createMeeting({ ...options, createEncryptionWorker: () => new EncryptionWorker() });
}
