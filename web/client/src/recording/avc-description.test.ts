import { expect, test } from "vitest";
import { repairedDescription } from "./avc-description.js";

const bytes = (hex: string) => Uint8Array.from(hex.split(" "), (one) => Number.parseInt(one, 16));

const sequence = "67 4d 40 1f ec a0 28 02 dd 08 00 00 03 00 08 00 f4 24 00 78 c1 8c b0";
const picture = "68 eb ec b2";
const good = `01 4d 40 1f ff e1 00 17 ${sequence} 01 00 04 ${picture}`;

test("the description that Firefox gives has the first byte of each set once", () => {
  const firefox = `01 4d 40 1f 03 01 00 18 67 ${sequence} 01 00 05 68 ${picture}`;
  expect(repairedDescription(bytes(firefox))).toEqual(bytes(good));
});

test("what follows the sets stays", () => {
  const firefox = `01 64 40 1f ff e1 00 18 67 ${sequence} 01 00 05 68 ${picture} fd f8 f8 00`;
  const repaired = `01 64 40 1f ff e1 00 17 ${sequence} 01 00 04 ${picture} fd f8 f8 00`;
  expect(repairedDescription(bytes(firefox))).toEqual(bytes(repaired));
});

test.each([
  ["a good one", good],
  // Set number 2, with two slice groups.
  ["one whose picture set begins with its first byte", good.replace(picture, "68 68 ec b2")],
  ["one that is cut", good.slice(0, 60)],
  ["one without sets", "01 4d 40 1f ff e0 00"],
  ["nothing that is one", "00"],
])("%s is left unchanged", (_name, hex) => {
  expect(repairedDescription(bytes(hex))).toEqual(bytes(hex));
});
