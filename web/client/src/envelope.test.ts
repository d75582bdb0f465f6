import { expect, test } from "vitest";
import {
  chatTopic,
  envelopeKey,
  epochOf,
  open,
  openInEpoch,
  reactionTopic,
  seal,
  sealInEpoch,
} from "./envelope.js";
import { chatTextLimit } from "./messages.js";

const passphrase = "2Rj0Yc1tq3mXv7bN8sKpL4wZ6dFhG9aE5uTiOoQyVxM";
const sender = "guest_k3v9.x7q2m1";

test("an envelope opens only for the same key, topic and sender", async () => {
  const key = await envelopeKey(passphrase);
  const packet = await seal(key, chatTopic, sender, { text: "hello" });
  expect(await open(key, chatTopic, sender, packet)).toEqual({ text: "hello" });
  expect(await open(key, reactionTopic, sender, packet)).toBeNull();
  expect(await open(key, chatTopic, "guest_other.x", packet)).toBeNull();
  const otherKey = await envelopeKey(`${passphrase}x`);
  expect(await open(otherKey, chatTopic, sender, packet)).toBeNull();
});

test("a packet that is plain, short, damaged or of another version is dropped", async () => {
  const key = await envelopeKey(passphrase);
  const packet = await seal(key, chatTopic, sender, { text: "hello" });
  const plain = new TextEncoder().encode('{"id":"1","text":"a plain message that is long enough"}');
  expect(await open(key, chatTopic, sender, plain)).toBeNull();
  expect(await open(key, chatTopic, sender, packet.subarray(0, 28))).toBeNull();
  for (const index of [0, 1, packet.length - 1]) {
    const damaged = packet.slice();
    damaged[index] = (damaged[index] ?? 0) ^ 1;
    expect(await open(key, chatTopic, sender, damaged)).toBeNull();
  }
});

test("the envelope of the longest message opens, and nothing larger", async () => {
  const key = await envelopeKey(passphrase);
  const everythingEscaped = "\\ud83d\\udc4b".length * chatTextLimit;
  const longest = "x".repeat(everythingEscaped + 1000);
  const packet = await seal(key, chatTopic, sender, longest);
  expect(await open(key, chatTopic, sender, packet)).toBe(longest);
  const larger = await seal(key, chatTopic, sender, "x".repeat(32 * 1024));
  expect(await open(key, chatTopic, sender, larger)).toBeNull();
});

test("an envelope begins with its version, and no IV is used twice", async () => {
  const key = await envelopeKey(passphrase);
  const one = await seal(key, chatTopic, sender, 1);
  const two = await seal(key, chatTopic, sender, 1);
  expect(one[0]).toBe(1);
  expect(one.slice(1, 13)).not.toEqual(two.slice(1, 13));
});

test("an envelope opens when it is a view into a larger buffer, as from media libraries", async () => {
  const key = await envelopeKey(passphrase);
  const packet = await seal(key, chatTopic, sender, "x");
  const buffer = new Uint8Array(packet.length + 10);
  buffer.set(packet, 5);
  expect(await open(key, chatTopic, sender, buffer.subarray(5, 5 + packet.length))).toBe("x");
});

test("an envelope has the format of the protocol, taken apart by hand", async () => {
  const utf8 = (text: string) => new TextEncoder().encode(text);
  const secret = await crypto.subtle.importKey("raw", utf8(passphrase), "HKDF", false, [
    "deriveBits",
  ]);
  const bits = await crypto.subtle.deriveBits(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: utf8("conclave data v1") },
    secret,
    256,
  );
  const key = await crypto.subtle.importKey("raw", bits, "AES-GCM", false, ["decrypt"]);
  const packet = await seal(await envelopeKey(passphrase), chatTopic, sender, { a: 1 });
  const plain = await crypto.subtle.decrypt(
    {
      name: "AES-GCM",
      iv: packet.slice(1, 13),
      additionalData: utf8("conclave.chat:guest_k3v9.x7q2m1"),
    },
    key,
    packet.slice(13),
  );
  expect(new TextDecoder().decode(plain)).toBe('{"a":1}');
});

test("an envelope of an epoch says which, and opens with its sender's key of that epoch only", async () => {
  const [key, otherKey] = await Promise.all([dataKey(), dataKey()]);
  const packet = await sealInEpoch(300, key, chatTopic, sender, { text: "hello" });
  expect(epochOf(packet)).toBe(300);
  expect(await openInEpoch(key, chatTopic, sender, packet)).toEqual({ text: "hello" });
  expect(await openInEpoch(otherKey, chatTopic, sender, packet)).toBeNull();
  expect(await openInEpoch(key, reactionTopic, sender, packet)).toBeNull();
  expect(await openInEpoch(key, chatTopic, "guest_other.x", packet)).toBeNull();
});

test("no byte of an epoch's envelope can be changed", async () => {
  const key = await dataKey();
  const packet = await sealInEpoch(300, key, chatTopic, sender, { text: "hello" });
  for (let index = 0; index < packet.length; index += 1) {
    const damaged = packet.slice();
    damaged[index] = (damaged[index] ?? 0) ^ 1;
    expect(await openInEpoch(key, chatTopic, sender, damaged)).toBeNull();
  }
});

test("an envelope of a standard meeting does not open in an epoch, nor the reverse", async () => {
  const key = await dataKey();
  const shared = await seal(key, chatTopic, sender, { text: "hello" });
  expect(epochOf(shared)).toBeNull();
  expect(await openInEpoch(key, chatTopic, sender, shared)).toBeNull();
  const ofEpoch = await sealInEpoch(1, key, chatTopic, sender, { text: "hello" });
  expect(await open(key, chatTopic, sender, ofEpoch)).toBeNull();
  expect(epochOf(ofEpoch.subarray(0, 4))).toBeNull();
});

function dataKey(): Promise<CryptoKey> {
  return crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}
