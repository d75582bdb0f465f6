import { joinGroup } from "ts-mls/clientState.js";
import { expect, test } from "vitest";
import { groupId, mlsDevices, refusalOf, secretOf } from "../testing/mls-devices.js";
import { newStatementKey } from "../testing/played-delivery.js";
import { linkPskIndex } from "./link-secret.js";
import { cipherSuite } from "./mls-crypto.js";
import { MlsGroup } from "./mls-group.js";
import { readMessage } from "./mls-suite.js";

const { rules, device, offerOf, addTo } = await mlsDevices();
const id = groupId;

test("a welcome of another group is refused", async () => {
  const a = await MlsGroup.create(new Uint8Array(16).fill(1), await device("a"), rules);
  const own = await device("b");
  const { welcome } = await a.commit([await offerOf(own)], []);
  const bytes = welcome ?? new Uint8Array();
  expect(await refusalOf(MlsGroup.join(id, bytes, own, rules, null))).toBe(
    "invalid: Another group.",
  );
});

test("a welcome for another key package is refused", async () => {
  const a = await MlsGroup.create(id, await device("a"), rules);
  const { welcome } = await a.commit([await offerOf(await device("b"))], []);
  const joining = MlsGroup.join(id, welcome ?? new Uint8Array(), await device("b"), rules, null);
  expect(await refusalOf(joining)).toBe("invalid: The welcome is for another key package.");
});

test("a welcome whose tree has a member without a statement is refused", async () => {
  const loose = { membership: anybody, linkSecret: null };
  const liar = await MlsGroup.create(id, await device("x", await newStatementKey()), loose);
  const own = await device("b");
  const { welcome } = await liar.commit([await offerOf(own)], []);
  const bytes = welcome ?? new Uint8Array();
  expect(await refusalOf(MlsGroup.join(id, bytes, own, rules, null))).toBe(
    "invalid: A member has no valid statement.",
  );
});

const anybody = {
  isGenuine: () => Promise.resolve(true),
  mayBeAdded: () => Promise.resolve(true),
  identityOf: (credential: string) => credential,
};

/** A tree in which members were added below several nodes that hold keys. */
async function unevenGroup(): Promise<MlsGroup[]> {
  let groups = await addTo(
    [await MlsGroup.create(id, await device("a"), rules)],
    ["b", "c", "d", "e", "f", "g", "h"],
  );
  // The first member removes some, which gives every node above it a key.
  const leavers = groups.filter(({ ownLeaf }) => ownLeaf === 3 || ownLeaf === 5);
  const [first] = groups;
  const { commit } = (await first?.commit([], [3, 5])) ?? {};
  first?.apply();
  groups = groups.filter((group) => !leavers.includes(group));
  for (const other of groups.slice(1)) await other.process(commit ?? new Uint8Array(), null);
  return addTo(await addTo(groups, ["i"]), ["j"]);
}

test("a device joins a group whose tree has members that are unmerged at some nodes only", async () => {
  const groups = await addTo(await unevenGroup(), ["k"]);
  const secrets = await Promise.all(groups.map(secretOf));
  expect(new Set(secrets).size).toBe(1);
});

test("the library's own joining would refuse that tree", async () => {
  const [first] = await unevenGroup();
  const own = await device("l");
  const { welcome } = (await first?.commit([await offerOf(own)], [])) ?? {};
  const message = readMessage(welcome ?? new Uint8Array());
  if (message.wireformat !== "mls_welcome") throw new Error("not a welcome");
  const index = linkPskIndex(null);
  // When this fails, the library is mended, and mls-join.ts is not needed any more.
  await expect(
    joinGroup(message.welcome, own.keyPackage, own.privateKeys, index, await cipherSuite()),
  ).rejects.toThrow("non-blank intermediate node must list leaf node in its unmerged_leaves");
});
