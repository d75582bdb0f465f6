import { expect, test } from "vitest";
import { type Marks, stillWaiting } from "./waiting-marks";

const [noon, later] = ["2026-01-01T12:00:00.000Z", "2026-01-01T12:00:09.000Z"];
const bob = { identity: "guest_bob", since: noon };
const cleo = { identity: "guest_cleo", since: noon };

const both: Marks = new Map([
  [bob.identity, noon],
  [cleo.identity, noon],
]);

test("a mark lasts as long as the person waits, in whatever list they are", () => {
  expect(stillWaiting(both, [{ ...bob }, { ...cleo }])).toBe(both);
  const kept = stillWaiting(both, [{ ...cleo }]);
  expect([...kept.keys()]).toEqual(["guest_cleo"]);
  // Bob knocks again.
  expect([...stillWaiting(kept, [{ ...cleo }, { ...bob }]).keys()]).toEqual(["guest_cleo"]);
});

test("a person who knocks again is not marked, even if no list without them was seen", () => {
  const again = { ...bob, since: later };
  expect([...stillWaiting(both, [cleo, again]).keys()]).toEqual(["guest_cleo"]);
});
