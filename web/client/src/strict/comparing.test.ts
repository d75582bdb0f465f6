import { expect, test } from "vitest";
import { type Observable, Value } from "../observable.js";
import type { Phase } from "../phase.js";
import { type ComparableGroup, Comparing, fingerprintKey } from "./comparing.js";
import type { GroupMember } from "./group-state.js";

/** A device with a key; the same name and another key are another device. */
function device(name: string, key = "1"): GroupMember {
  const fingerprint = [name, key];
  return { identity: `guest_${name}.x`, name, role: "participant", fingerprint };
}

const [ada, grace, alan] = [device("ada"), device("grace"), device("alan")];
/** Each group of devices has a code of its own. */
const codeOf = (...members: GroupMember[]) => ({ digits: members.map(fingerprintKey), emoji: [] });
const epochOf = (...members: GroupMember[]): ComparableGroup => ({
  epoch: { members, code: codeOf(...members) },
});

/** Ada's device, in a group with others. */
function play(...others: GroupMember[]) {
  const group = new Value<ComparableGroup | null>(epochOf(ada, ...others));
  const comparing = new Comparing(group, ada.identity);
  /** The person compares the code that is on the screen. */
  const compare = () => comparing.compared(group.get()?.epoch?.code ?? codeOf(ada, ...others));
  const added = () => comparing.state.get().added.map(({ name }) => name);
  const extent = () => comparing.state.get().extent;
  return { group, comparing, compare, added, extent };
}

test("nobody is new to a person who has not compared", () => {
  const { group, added, extent } = play(grace);
  group.set(epochOf(ada, grace, alan));
  expect([added(), extent()]).toEqual([[], "no"]);
});

test("a device that joins after the comparison is new until the person compares again", () => {
  const { group, compare, added, extent } = play(grace);
  compare();
  expect([added(), extent()]).toEqual([[], "all"]);
  group.set(epochOf(ada, grace, alan));
  expect([added(), extent()]).toEqual([["alan"], "some"]);
  compare();
  expect([added(), extent()]).toEqual([[], "all"]);
});

test("a device that joined as the person pressed is not in the code that they compared", () => {
  const { group, comparing, compare, added, extent } = play(grace);
  group.set(epochOf(ada, grace, alan));
  comparing.compared(codeOf(ada, grace));
  expect([added(), extent()]).toEqual([[], "no"]);
  compare();
  expect([added(), extent()]).toEqual([[], "all"]);
});

test("dismissing says nothing about the device, and another device is new again", () => {
  const { group, comparing, compare, added, extent } = play(grace);
  compare();
  group.set(epochOf(ada, grace, alan));
  comparing.dismiss();
  expect([added(), extent()]).toEqual([[], "some"]);
  group.set(epochOf(ada, grace, alan, device("mary")));
  expect([added(), extent()]).toEqual([["mary"], "some"]);
});

test("leaving is not news, and neither is coming back with the same key", () => {
  const { group, compare, added, extent } = play(grace, alan);
  compare();
  group.set(epochOf(ada, grace));
  expect([added(), extent()]).toEqual([[], "all"]);
  group.set(epochOf(ada, grace, alan));
  expect([added(), extent()]).toEqual([[], "all"]);
});

test("a person who comes back with another key is new", () => {
  const { group, compare, added } = play(grace);
  compare();
  group.set(epochOf(ada));
  group.set(epochOf(ada, device("grace", "2")));
  expect(added()).toEqual(["grace"]);
});

test("a device that was in stays new after it has left, because it could listen", () => {
  const { group, comparing, compare, added, extent } = play(grace);
  compare();
  group.set(epochOf(ada, grace, alan));
  group.set(epochOf(ada, grace));
  expect([added(), extent()]).toEqual([["alan"], "all"]);
  group.set(null);
  expect(added()).toEqual(["alan"]);
  comparing.dismiss();
  group.set(epochOf(ada, grace, alan));
  expect(added()).toEqual([]);
});

test("a device that is verified is not new, until the person takes that back", () => {
  const { group, comparing, compare, added, extent } = play(grace);
  compare();
  group.set(epochOf(ada, grace, alan));
  comparing.verify(alan, true);
  expect([added(), extent()]).toEqual([[], "all"]);
  comparing.verify(alan, false);
  expect([added(), extent()]).toEqual([["alan"], "some"]);
});

test("a mark belongs to a device's key, not to its name", () => {
  const { group, comparing } = play(grace);
  comparing.verify(grace, true);
  group.set(epochOf(ada, device("grace", "2")));
  const { verified } = comparing.state.get();
  expect([...verified]).toEqual([fingerprintKey(grace)]);
  expect(verified.has(fingerprintKey(device("grace", "2")))).toBe(false);
});

test("what was compared in the main room counts in a breakout room", () => {
  const { group, compare, added, extent } = play(grace, alan);
  compare();
  group.set(null);
  group.set(epochOf(ada, alan));
  expect([added(), extent()]).toEqual([[], "all"]);
});

test("a device in no group has nothing to compare", () => {
  const { group, compare, extent } = play(grace);
  group.set({ epoch: null });
  compare();
  expect(extent()).toBe("no");
});

test("one's own device is never new, and nothing follows after the end", () => {
  const { group, comparing, compare, added } = play(grace);
  compare();
  group.set(epochOf(device("ada", "2"), grace));
  expect(added()).toEqual([]);
  comparing.close();
  group.set(epochOf(ada, grace, alan));
  expect(added()).toEqual([]);
});

/** A value that counts who follows it. */
function counted<T>(initial: T) {
  const value = new Value(initial);
  const followers = { count: 0 };
  const seen: Observable<T> = {
    get: value.get,
    subscribe: (listener) => {
      followers.count += 1;
      const stop = value.subscribe(listener);
      return () => {
        followers.count -= 1;
        stop();
      };
    },
  };
  return { value, seen, followers };
}

test("when the call is over it follows nothing any more, and keeps what the person compared", () => {
  const group = counted<ComparableGroup | null>(epochOf(ada, grace));
  const phase = counted<Phase>({ kind: "connected" });
  const comparing = new Comparing(group.seen, ada.identity, phase.seen);
  comparing.compared(codeOf(ada, grace));
  phase.value.set({ kind: "reconnecting" });
  expect([group.followers.count, phase.followers.count]).toEqual([1, 1]);
  phase.value.set({ kind: "ended", reason: "left" });
  expect([group.followers.count, phase.followers.count]).toEqual([0, 0]);
  expect(comparing.state.get().extent).toBe("all");
});
