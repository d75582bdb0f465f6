import { Value } from "@conclave/client/door";
import type { RecordingEnd } from "@conclave/client/recording/recorder";
import { expect, test } from "vitest";
import { fakePage } from "../../dev/fake-page";
import { LeaveGuard } from "./leave-guard";
import { lossOf } from "./unsent";

test("after the call the page says that a recording could not be sent, until the next call", () => {
  const guard = new LeaveGuard(fakePage());
  const { unsent } = guard;
  const said = () => lossOf(unsent.ended.get());
  const isUnsent = new Value(true);
  const ended = new Value<RecordingEnd | null>(null);
  guard.open();
  unsent.watch({ isUnsent, ended });
  ended.set("left");
  guard.close();
  expect(said()).toBeNull();
  ended.set("too_late");
  isUnsent.set(false);
  expect(said()).toBe("too_late");
  guard.open();
  expect(said()).toBeNull();
});

test("a new call forgets the recorders of earlier ones, except those that still send", () => {
  const { unsent } = new LeaveGuard(fakePage());
  const ended = new Value<RecordingEnd | null>(null);
  const [idle, sending] = [new Value(false), new Value(true)];
  for (const isUnsent of [idle, sending]) unsent.watch({ isUnsent, ended });
  unsent.begin();
  sending.set(false);
  idle.set(true);
  expect(unsent.hasRest.get()).toBe(false);
});

test.each(["stopped", "left", "moved", "not_host", "taken_over", null] as const)(
  "nothing is said after a recording that ended as %s",
  (end) => expect(lossOf(end)).toBeNull(),
);
