import { beforeAll, expect, test } from "vitest";
import { toBase64Url } from "../recording/base64url.js";
import { newStatementKey, type StatementKey, signStatement } from "../testing/played-delivery.js";
import { isCurrent, isFrom, keyDigest, StatementVerifier } from "./statement.js";
import signed from "./testdata/statement.json" with { type: "json" };

const key = new Uint8Array(32).fill(5);
let service: StatementKey;

beforeAll(async () => {
  service = await newStatementKey();
});

test("a statement says what the service signed, for the key it was signed for", async () => {
  const verifier = StatementVerifier.of(service.publicKey);
  const text = await signStatement(service, key, { identity: "guest_a.x", place: "b1" });
  expect(await verifier.read(text, key)).toEqual({
    room: "room",
    meeting: "meeting",
    place: "b1",
    identity: "guest_a.x",
    name: "Name of guest_a.x",
    role: "participant",
    key: await keyDigest(key),
    expiresAt: 24 * 3_600_000,
  });
  expect(await verifier.read(text, new Uint8Array(32).fill(6))).toBeNull();
  // What is remembered is still bound to its key.
  expect(await verifier.read(text, key)).not.toBeNull();
});

test("a statement that the service itself signed is genuine", async () => {
  const verifier = StatementVerifier.of(signed.service_key);
  expect(await verifier.read(signed.statement, bytesOf(signed.signature_key))).toMatchObject({
    room: "room",
    meeting: "meeting",
    place: "breakout",
    identity: "guest_ada.1",
    name: 'Ada <"& é',
    role: "host",
    expiresAt: Date.UTC(2026, 4, 5, 12),
  });
});

test("a text that another key signed, or that was changed, is not a statement", async () => {
  const verifier = StatementVerifier.of(service.publicKey);
  const forged = await signStatement(await newStatementKey(), key, { identity: "a" });
  expect(await verifier.read(forged, key)).toBeNull();
  const text = await signStatement(service, key, { identity: "a" });
  const [version, body = "", signature] = text.split(".");
  const json = new TextDecoder().decode(bytesOf(body)).replace('"a"', '"b"');
  const changed = toBase64Url(new TextEncoder().encode(json));
  for (const bad of [
    `${version}.${changed}.${signature}`,
    `v2.${body}.${signature}`,
    `${text}=`,
    `${text}.`,
    `${version}.${body}`,
    `${version}.${body}.${signature?.slice(0, 40)}`,
    "",
    "x".repeat(10_000),
  ]) {
    expect(await verifier.read(bad, key)).toBeNull();
  }
});

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
    character.charCodeAt(0),
  );
}

test("a signature over something else is not a statement", async () => {
  const verifier = StatementVerifier.of(service.publicKey);
  const good = { room: "r", meeting: "", place: null, identity: "a", name: "", role: "host" };
  const whole = { ...good, key: await keyDigest(key), expires_at: "2026-11-23T10:00:00.000Z" };
  expect(await verifier.read(await sign(whole), key)).not.toBeNull();
  for (const bad of [
    null,
    [],
    { ...whole, room: "" },
    { ...whole, identity: "" },
    { ...whole, place: "" },
    { ...whole, place: undefined },
    { ...whole, role: "owner" },
    { ...whole, expires_at: "soon" },
    { ...whole, expires_at: 7 },
    { ...whole, meeting: null },
  ]) {
    expect(await verifier.read(await sign(bad), key)).toBeNull();
  }
  expect(await verifier.read(await sign(whole, "another purpose:"), key)).toBeNull();
});

async function sign(value: unknown, prefix = "conclave statement v1:"): Promise<string> {
  const json = new TextEncoder().encode(JSON.stringify(value));
  const signed = new Uint8Array([...new TextEncoder().encode(prefix), ...json]);
  const signature = await crypto.subtle.sign("Ed25519", service.privateKey, signed);
  return `v1.${toBase64Url(json)}.${toBase64Url(new Uint8Array(signature))}`;
}

test("a service's key has 32 bytes", () => {
  expect(() => StatementVerifier.of(toBase64Url(new Uint8Array(31)))).toThrow(RangeError);
});

test("a statement is from one place of one meeting", async () => {
  const verifier = StatementVerifier.of(service.publicKey);
  const scope = { room: "room", meeting: "meeting", place: null };
  const read = async (said: object) => {
    const text = await signStatement(service, key, { identity: "a", ...said });
    const statement = await verifier.read(text, key);
    return statement !== null && isFrom(statement, scope);
  };
  expect(await read({})).toBe(true);
  expect(await read({ meeting: "" })).toBe(true);
  expect(await read({ meeting: "another" })).toBe(false);
  expect(await read({ room: "another" })).toBe(false);
  expect(await read({ place: "b1" })).toBe(false);
});

test("a statement expires, with a little time for clocks that differ", async () => {
  const verifier = StatementVerifier.of(service.publicKey);
  const text = await signStatement(service, key, { identity: "a", expiresAt: 1_000_000 });
  const statement = await verifier.read(text, key);
  if (!statement) throw new Error("not a statement");
  expect(isCurrent(statement, 1_000_000 + 299_999)).toBe(true);
  expect(isCurrent(statement, 1_000_000 + 300_000)).toBe(false);
});
