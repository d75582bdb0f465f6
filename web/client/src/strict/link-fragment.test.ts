import { expect, test } from "vitest";
import { newLinkSecret, readLinkSecret, withLinkSecret } from "./link-fragment.js";

test("a link secret is 128 random bits, written in 22 characters", () => {
  const secrets = Array.from({ length: 100 }, newLinkSecret);
  for (const secret of secrets) {
    expect(secret).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(readLinkSecret(secret)).toHaveLength(16);
  }
  expect(new Set(secrets).size).toBe(100);
});

test("a link secret has one spelling", () => {
  expect(readLinkSecret("AAECAwQFBgcICQoLDA0ODw")).toEqual(
    new Uint8Array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
  );
  for (const damaged of [
    "",
    "AAECAwQFBgcICQoLDA0OD",
    "AAECAwQFBgcICQoLDA0ODx", // two bits more than 128
    "AAECAwQFBgcICQoLDA0ODwA",
    "AAECAwQFBgcICQoLDA0ODw==",
    "AAECAwQFBgcICQoLDA0 Dw",
  ]) {
    expect(readLinkSecret(damaged), damaged).toBeNull();
  }
});

test("a link secret goes into the fragment, beside a join link's secret", () => {
  const room = "https://meet.example.com/abc-defg-hjk";
  expect(withLinkSecret(room, "x")).toBe(`${room}#k=x`);
  expect(withLinkSecret(`${room}#join=s`, "x")).toBe(`${room}#join=s&k=x`);
  expect(withLinkSecret(`${room}#k=old&join=s`, "x")).toBe(`${room}#join=s&k=x`);
});
