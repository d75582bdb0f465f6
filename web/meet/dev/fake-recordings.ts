import { Value } from "@conclave/client/pre-join";
import type { LiveMeeting } from "../src/features/live/live-meeting";

/** A recording by somebody else runs, or none; and none begins. */
export function fakeRecordings(isRunning: boolean): LiveMeeting["recordings"] {
  return {
    running: new Value(
      isRunning
        ? {
            id: "rec",
            by: "Grace Hopper",
            started_at: new Date(Date.now() - 65_000).toISOString(),
            mine: false,
            protection: "workspace",
            away: false,
          }
        : null,
    ),
    changes: new Value(0),
    baseUrl: "https://meet.example.com",
    now: () => Date.now(),
    stop: async () => {},
    begin: () => Promise.reject(new Error("The gallery records nothing.")),
    devices: async () => [],
    recordable: () => new Map(),
  };
}
