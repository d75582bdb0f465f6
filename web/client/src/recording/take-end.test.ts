import { expect, test } from "vitest";
import { endOf, type TakeSituation } from "./take-end.js";

const goingOn: TakeSituation = {
  phase: { kind: "connected" },
  hasMoved: false,
  you: { role: "host", cohost: false },
  running: "r1",
  id: "r1",
};

test.each<[string, Partial<TakeSituation>, ReturnType<typeof endOf>]>([
  ["goes on while nothing changes", {}, null],
  ["goes on while the connection is away", { phase: { kind: "reconnecting" } }, null],
  ["goes on before the service has said who one is", { you: null }, null],
  ["ends with the meeting", { phase: { kind: "ended", reason: "ended" } }, "left"],
  ["ends when the device is removed", { phase: { kind: "ended", reason: "removed" } }, "left"],
  ["ends in another room of the meeting", { hasMoved: true, running: null }, "moved"],
  ["ends with the right", { you: { role: "participant", cohost: false } }, "not_host"],
  ["is not a co-host's", { you: { role: "host", cohost: true } }, "not_host"],
  ["ends when a host stops it", { running: null }, "stopped"],
  ["ends when another device records", { running: "r2" }, "taken_over"],
])("a recording %s", (_what, change, end) => {
  expect(endOf({ ...goingOn, ...change })).toBe(end);
});
