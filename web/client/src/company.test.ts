import { expect, test } from "vitest";
import { Company } from "./company.js";
import { rosterEntry } from "./testing/roster-entry.js";

test("people are listed in the room in which they belong", () => {
  const company = new Company();
  const inRoom1 = ["bob", "cleo"].map((one) => rosterEntry(one, { breakout_id: "r1" }));
  company.take({ type: "people", data: [rosterEntry("ada"), ...inRoom1] });
  expect(company.listedIn(null)).toEqual(["ada"]);
  expect(company.listedIn("r1")).toEqual(["bob", "cleo"]);
  expect(company.listedIn("r2")).toEqual([]);
});
