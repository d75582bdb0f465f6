import { expect, test } from "vitest";
import { fakePage } from "../../dev/fake-page";
import { playedRecorder } from "../../dev/played-recorder";
import { LeaveGuard } from "./leave-guard";
import { lossOf } from "./unsent";

test("after the call the page says that a recording could not be sent, until the next call", () => {
  const guard = new LeaveGuard(fakePage());
  const { unsent } = guard;
  const said = () => lossOf(unsent.ended.get());
  const recorder = playedRecorder(true);
  const { isUnsent, ended } = recorder;
  guard.open();
  unsent.watch(recorder);
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
  const [idle, sending] = [playedRecorder(false), playedRecorder(true)];
  for (const recorder of [idle, sending]) unsent.watch(recorder);
  unsent.begin();
  sending.isUnsent.set(false);
  idle.isUnsent.set(true);
  expect(unsent.hasRest.get()).toBe(false);
});

test("sending is stalled while one recorder that sends is", () => {
  const { unsent } = new LeaveGuard(fakePage());
  const [first, second] = [playedRecorder(true), playedRecorder(true)];
  for (const recorder of [first, second]) unsent.watch(recorder);
  expect(unsent.isStalled.get()).toBe(false);
  second.isStalled.set(true);
  expect(unsent.isStalled.get()).toBe(true);
  second.isStalled.set(false);
  expect(unsent.isStalled.get()).toBe(false);
});

test.each(["stopped", "left", "moved", "not_host", "taken_over", null] as const)(
  "nothing is said after a recording that ended as %s",
  (end) => expect(lossOf(end)).toBeNull(),
);
