import { expect, test } from "vitest";
import { fakePage } from "../../dev/fake-page";
import { playedRecorder } from "../../dev/played-recorder";
import { LeaveGuard } from "./leave-guard";

test("going back in a call asks, and the person is still on the page", () => {
  const page = fakePage();
  const guard = new LeaveGuard(page);
  guard.open();
  expect(page.entries()).toBe(2);
  page.goBack();
  expect([guard.isAsking.get(), page.entries()]).toEqual([true, 2]);
  guard.stay();
  expect(guard.isAsking.get()).toBe(false);
  page.goBack();
  expect([guard.isAsking.get(), page.entries()]).toEqual([true, 2]);
});

test("the browser asks before the tab is closed, but only in a call", () => {
  const page = fakePage();
  const guard = new LeaveGuard(page);
  expect(page.asksWhenClosed()).toBe(false);
  guard.open();
  expect(page.asksWhenClosed()).toBe(true);
  guard.close();
  expect(page.asksWhenClosed()).toBe(false);
});

test("the browser goes on asking after the call until the rest of a recording is sent", () => {
  const page = fakePage();
  const guard = new LeaveGuard(page);
  guard.open();
  const recorders = [playedRecorder(false), playedRecorder(false)] as const;
  for (const recorder of recorders) guard.unsent.watch(recorder);
  const [first, second] = recorders.map(({ isUnsent }) => isUnsent);
  first?.set(true);
  second?.set(true);
  guard.close();
  expect(page.asksWhenClosed()).toBe(true);
  first?.set(false);
  expect(page.asksWhenClosed()).toBe(true);
  second?.set(false);
  expect(page.asksWhenClosed()).toBe(false);
});

test("after the call going back leaves at once, also when the page was reloaded in between", () => {
  const page = fakePage();
  new LeaveGuard(page).open();
  const guard = new LeaveGuard(page.reloaded());
  guard.open();
  expect(page.entries()).toBe(2);
  page.goBack();
  guard.close();
  guard.tidy();
  expect([page.entries(), guard.isAsking.get()]).toEqual([1, false]);
});
