import { expect, test } from "vitest";
import { Company } from "./company.js";
import type { RosterEntry } from "./wire.js";

/** Somebody in the meeting, in a breakout room or in the main room. */
function person(identity: string, breakout_id: string | null): RosterEntry {
  return {
    identity,
    name: identity,
    role: "participant",
    avatar: null,
    hand_raised: false,
    hand_raised_at: null,
    joined_at: "2026-01-01T00:00:00.000Z",
    cohost: false,
    on_stage: false,
    breakout_id,
  };
}

test("people are listed in the room in which they belong", () => {
  const company = new Company();
  const data = [person("ada", null), person("bob", "r1"), person("cleo", "r1")];
  company.take({ type: "people", data });
  expect(company.listedIn(null)).toEqual(["ada"]);
  expect(company.listedIn("r1")).toEqual(["bob", "cleo"]);
  expect(company.listedIn("r2")).toEqual([]);
});
