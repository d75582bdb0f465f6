import { expect, test } from "vitest";
import { newDeviceKeys, publicKeyText, unwrapRecordingKey, wrapRecordingKey } from "./key-wrap.js";
import { newRecordingKey } from "./part-format.js";

const id = "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11";

async function newDevice(deviceId: string) {
  const keys = await newDeviceKeys();
  return { keys, device: { id: deviceId, public_key: await publicKeyText(keys) } };
}

test("a wrapped key opens on the device it is wrapped for, whose private key no script can read", async () => {
  const { keys, device } = await newDevice("device-1");
  const key = newRecordingKey();
  const wrapped = await wrapRecordingKey(key, id, device);
  expect(await unwrapRecordingKey(wrapped, id, "device-1", keys)).toEqual(key);
  expect(keys.privateKey.extractable).toBe(false);
});

test("a wrapped key does not open on another device, for another recording, or when it is damaged", async () => {
  const { keys, device } = await newDevice("device-1");
  const other = await newDevice("device-1");
  const wrapped = await wrapRecordingKey(newRecordingKey(), id, device);
  await expect(unwrapRecordingKey(wrapped, id, "device-1", other.keys)).rejects.toThrow();
  await expect(unwrapRecordingKey(wrapped, id, "device-2", keys)).rejects.toThrow();
  await expect(unwrapRecordingKey(wrapped, `${id}0`, "device-1", keys)).rejects.toThrow();
  const ciphertext = wrapped.ciphertext.replace(/^./, (first) => (first === "A" ? "B" : "A"));
  const damaged = { ...wrapped, ciphertext };
  await expect(unwrapRecordingKey(damaged, id, "device-1", keys)).rejects.toThrow();
});

test("a public key that is not a point of the curve is refused", async () => {
  for (const public_key of ["", "AAAA", `BA${"A".repeat(85)}`]) {
    const device = { id: "device-1", public_key };
    await expect(wrapRecordingKey(newRecordingKey(), id, device)).rejects.toThrow();
  }
});

test("a key that another implementation (Go's crypto/hpke) wrapped opens", async () => {
  const point = {
    kty: "EC",
    crv: "P-256",
    x: "HhhTL9R1TALzBB2cdc6zO4P_2BrHzk_ogsyxyYvFiW4",
    y: "pGwxHE4v9A3ZajZT5uRURdMt_khuztdcepDGoYiBwKM",
  };
  const curve = { name: "ECDH", namedCurve: "P-256" };
  const d = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc";
  const keys = {
    publicKey: await crypto.subtle.importKey("jwk", point, curve, true, []),
    privateKey: await crypto.subtle.importKey("jwk", { ...point, d }, curve, false, ["deriveBits"]),
  };
  expect(await publicKeyText(keys)).toBe(
    "BB4YUy_UdUwC8wQdnHXOszuD_9gax85P6ILMscmLxYlupGwxHE4v9A3ZajZT5uRURdMt_khuztdcepDGoYiBwKM",
  );
  const wrapped = {
    enc: "BBozbEgnGnCdQ5ngBUi9AILrc4uL-irqYu4YQoiyri0PkBbooCOhoqgjUrtaTG0KowjP2LfQTbILda2tGtTR1Rs",
    ciphertext: "l6ppA3GIguR2Vl1vGMSpbRGHmUNG1Hj2aFUxiVWU7ZHuwvsOifGtVxEq6a3-LbWb",
  };
  const key = await unwrapRecordingKey(wrapped, id, "device-1", keys);
  expect(key).toEqual(new Uint8Array(32).fill(42));
});
