import { verificationCode } from "@conclave/client/strict/verification";
import { expect, test } from "vitest";
import en from "./en-meeting.json";

test("every picture of a code has a name in the catalogue", async () => {
  const names = new Set<string>();
  for (let fill = 0; fill < 256; fill += 1) {
    const { emoji } = await verificationCode(new Uint8Array(32).fill(fill));
    for (const { name } of emoji) names.add(name);
  }
  expect(new Set(Object.keys(en.compare.pictures))).toEqual(names);
});
