import { expect, test } from "vitest";
import { initialsOf } from "./initials.js";

test.each([
  ["Ada Lovelace", "AL"],
  ["  katherine coleman goble johnson ", "KJ"],
  ["Plato", "P"],
  ["李 明", "李明"],
  ["👩‍🚀 Sally", "👩‍🚀S"],
  ["Ada Lovelace (Host)", "AH"],
  ['Ada "Countess" - ', "AC"],
  ["?!", "?"],
  ["#️⃣ Room", "#️⃣R"],
  ["Ada ‼️", "A‼️"],
  ["", ""],
])("the initials of %j are %j", (name, initials) => {
  expect(initialsOf(name)).toBe(initials);
});
