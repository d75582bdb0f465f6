import { expect, test } from "vitest";
import { deviceFingerprint, verificationCode } from "./verification.js";

const secret = (fill: number) => new Uint8Array(32).fill(fill);

test("a code has six groups of five digits and eight pictures, the same for the same epoch", async () => {
  const code = await verificationCode(secret(1));
  expect(code.digits).toHaveLength(6);
  for (const group of code.digits) expect(group).toMatch(/^[0-9]{5}$/);
  expect(code.emoji).toHaveLength(8);
  for (const { emoji, name } of code.emoji) {
    expect(emoji).not.toBe("");
    expect(name).not.toBe("");
  }
  expect(await verificationCode(secret(1))).toEqual(code);
  const other = await verificationCode(secret(2));
  expect(other.digits).not.toEqual(code.digits);
  expect(other.emoji).not.toEqual(code.emoji);
});

test("the code is what every version of this library shows", async () => {
  const { digits, emoji } = await verificationCode(secret(1));
  expect(digits.join(" ")).toMatchInlineSnapshot(`"74503 38174 94891 72616 67821 54236"`);
  expect(emoji.map(({ name }) => name).join(" ")).toMatchInlineSnapshot(
    `"smile guitar pencil butterfly rabbit rocket mushroom hourglass"`,
  );
  expect((await deviceFingerprint("guest_a.x", secret(1))).join(" ")).toMatchInlineSnapshot(
    `"35418 78627 25118 78597 94127 79513"`,
  );
});

test("there are 64 pictures, and no two are alike", async () => {
  const seen = new Map<string, string>();
  for (let fill = 0; fill < 256; fill += 1) {
    for (const { emoji, name } of (await verificationCode(secret(fill))).emoji) {
      expect(seen.get(name) ?? emoji).toBe(emoji);
      seen.set(name, emoji);
    }
  }
  expect(seen.size).toBe(64);
  expect(new Set(seen.values()).size).toBe(64);
});

test("a fingerprint is of one device and one key", async () => {
  const print = await deviceFingerprint("guest_a.x", secret(1));
  expect(print.join("")).toMatch(/^[0-9]{30}$/);
  expect(await deviceFingerprint("guest_b.x", secret(1))).not.toEqual(print);
  expect(await deviceFingerprint("guest_a.x", secret(2))).not.toEqual(print);
});
