import { createMeeting, type Meeting, type MeetingOptions } from "@conclave/client";
import EncryptionWorker from "livekit-client/e2ee-worker?worker";

/** The entry to the part of the interface that only a running meeting needs. */
export function enterMeeting(options: Omit<MeetingOptions, "createEncryptionWorker">): Meeting {
  return createMeeting({ ...options, createEncryptionWorker: () => new EncryptionWorker() });
}
