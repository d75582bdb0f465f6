/** Tests the library's functions that our groups use with the test vectors of RFC 9420. */
import { initializeEpoch, mlsExporter } from "ts-mls/keySchedule.js";
import { computePskSecret } from "ts-mls/presharedkey.js";
import { expect, test } from "vitest";
import { cipherSuite, suiteName } from "./mls-crypto.js";
import schedule from "./testdata/key-schedule.json" with { type: "json" };
import psk from "./testdata/psk-secret.json" with { type: "json" };

const bytes = (hex: string) =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

test("the key schedule", async () => {
  const suite = await cipherSuite();
  let initSecret = bytes(schedule.initial_init_secret);
  for (const [epoch, vector] of schedule.epochs.entries()) {
    const context = {
      version: "mls10",
      cipherSuite: suiteName,
      groupId: bytes(schedule.group_id),
      epoch: BigInt(epoch),
      treeHash: bytes(vector.tree_hash),
      confirmedTranscriptHash: bytes(vector.confirmed_transcript_hash),
      extensions: [],
    } as const;
    const secrets = await initializeEpoch(
      initSecret,
      bytes(vector.commit_secret),
      { ...context, extensions: [] },
      bytes(vector.psk_secret),
      suite.kdf,
    );
    const { keySchedule } = secrets;
    expect(secrets.joinerSecret).toEqual(bytes(vector.joiner_secret));
    expect(secrets.welcomeSecret).toEqual(bytes(vector.welcome_secret));
    expect(secrets.encryptionSecret).toEqual(bytes(vector.encryption_secret));
    expect(keySchedule.initSecret).toEqual(bytes(vector.init_secret));
    expect(keySchedule.exporterSecret).toEqual(bytes(vector.exporter_secret));
    expect(keySchedule.epochAuthenticator).toEqual(bytes(vector.epoch_authenticator));
    expect(keySchedule.confirmationKey).toEqual(bytes(vector.confirmation_key));
    initSecret = new Uint8Array(keySchedule.initSecret);
  }
});

test("the exporter is the formula of section 8.5", async () => {
  const suite = await cipherSuite();
  const secret = new Uint8Array(32).fill(3);
  const context = new TextEncoder().encode("guest_a.x");
  const label = "conclave media v1";
  const derived = await expandWithLabel(secret, label, new Uint8Array());
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", context));
  const expected = await expandWithLabel(derived, "exported", hash);
  expect(await mlsExporter(secret, label, context, 32, suite)).toEqual(expected);
});

/** ExpandWithLabel of section 8 for 32 bytes: one block of HKDF-Expand. */
async function expandWithLabel(secret: Uint8Array, label: string, context: Uint8Array) {
  const name = new TextEncoder().encode(`MLS 1.0 ${label}`);
  const info = [0, 32, name.length, ...name, context.length, ...context, 1];
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const raw = new Uint8Array(secret);
  const key = await crypto.subtle.importKey("raw", raw, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, new Uint8Array(info)));
}

test("an external pre-shared key", async () => {
  const id = {
    psktype: "external",
    pskId: bytes(psk.psk_id),
    pskNonce: bytes(psk.psk_nonce),
  } as const;
  const secret = await computePskSecret([[id, bytes(psk.psk)]], await cipherSuite());
  expect(secret).toEqual(bytes(psk.psk_secret));
});
