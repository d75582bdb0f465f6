import { Value } from "@conclave/client/door";
import type { LiveMeeting } from "../src/features/live/live-meeting";

/** No recording runs, and none begins. */
export function fakeRecordings(): LiveMeeting["recordings"] {
  return {
    running: new Value(null),
    changes: new Value(0),
    baseUrl: "https://meet.example.com",
    now: () => Date.now(),
    stop: async () => {},
    begin: () => Promise.reject(new Error("The gallery records nothing.")),
    devices: async () => [],
    feeds: () => new Map(),
  };
}
