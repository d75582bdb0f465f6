import { expect, test } from "vitest";
import { stillWaiting } from "./waiting-marks";

const [bob, cleo] = [{ identity: "guest_bob" }, { identity: "guest_cleo" }];

test("a mark lasts as long as the person waits, in whatever list they are", () => {
  const marked = new Set(["guest_bob", "guest_cleo"]);
  expect(stillWaiting(marked, [{ ...bob }, { ...cleo }])).toBe(marked);
  const kept = stillWaiting(marked, [{ ...cleo }]);
  expect([...kept]).toEqual(["guest_cleo"]);
  // Bob knocks again.
  expect([...stillWaiting(kept, [{ ...cleo }, { ...bob }])]).toEqual(["guest_cleo"]);
});
