import type { ClientState, Proposal } from "ts-mls";
import { defaultClientConfig } from "ts-mls/clientConfig.js";
import { createCommit } from "ts-mls/createCommit.js";
import { encodeMlsMessage } from "ts-mls/message.js";
import { processPrivateMessage } from "ts-mls/processMessages.js";
import { expect, test } from "vitest";
import { forgedKeyPackage, forgeries } from "../testing/forged-key-package.js";
import { groupId, mlsDevices, refusalOf, secretOf } from "../testing/mls-devices.js";
import { newStatementKey, signStatement } from "../testing/played-delivery.js";
import { seededRandom } from "../testing/sim-clock.js";
import { linkPskIndex, linkSecretProposal } from "./link-secret.js";
import { cipherSuite } from "./mls-crypto.js";
import { type GroupRules, MlsGroup } from "./mls-group.js";
import { stateFromWelcome } from "./mls-join.js";
import { newSignatureKeys, type OwnKeyPackage, readKeyPackage, readMessage } from "./mls-suite.js";

const { service, rules, membership, device, offerOf, addTo } = await mlsDevices();
const id = groupId;

test("members of an epoch have the same secrets, and other epochs have others", async () => {
  const first = await MlsGroup.create(id, await device("a"), rules);
  const alone = await secretOf(first);
  const groups = await addTo([first], ["b", "c"]);
  const secrets = await Promise.all(groups.map(secretOf));
  expect(new Set(secrets).size).toBe(1);
  expect(secrets[0]).not.toBe(alone);
  expect(groups.map(({ epoch }) => epoch)).toEqual([1, 1, 1]);
  expect(groups.map(({ authenticator }) => authenticator.join())).toEqual(
    groups.map(() => first.authenticator.join()),
  );
  expect(groups.map(({ ownLeaf }) => ownLeaf)).toEqual([0, 1, 2]);
});

test("a commit adds and removes at once, and tells the one it removes", async () => {
  const [a, b, c] = await addTo([await MlsGroup.create(id, await device("a"), rules)], ["b", "c"]);
  if (!a || !b || !c) throw new Error("three groups");
  const own = await device("d");
  const { commit, welcome } = await c.commit([await offerOf(own)], [b.ownLeaf]);
  c.apply();
  expect(await a.process(commit, null)).toBe(true);
  expect(await b.process(commit, null)).toBe(false);
  const d = await MlsGroup.join(id, welcome ?? new Uint8Array(), own, rules, null);
  const names = d.leaves.map(({ credential }) => membership.identityOf(credential));
  expect(names).toEqual(["a", "d", "c"]);
  expect(await secretOf(d)).toBe(await secretOf(a));
});

// The other two forgeries end in a welcome that cannot be made.
test.each(forgeries.slice(0, 2))(
  "a commit that adds a device that %s is refused",
  async (_, forge) => {
    const [a, b] = await addTo([await MlsGroup.create(id, await device("a"), rules)], ["b"]);
    if (!a || !b) throw new Error("two groups");
    const keys = await newSignatureKeys();
    const credential = await signStatement(service, keys.publicKey, { identity: "m" });
    const keyPackage = await forgedKeyPackage(credential, keys, forge);
    await membership.mayBeAdded(credential, keys.publicKey);
    const { commit } = await a.commit(
      [{ keyPackage, credential, signatureKey: keys.publicKey }],
      [],
    );
    expect(await refusalOf(b.process(commit, null))).toMatch(/^invalid: /);
    expect(b.epoch).toBe(1);
  },
);

test("two devices with one key are not added together", async () => {
  const group = await MlsGroup.create(id, await device("a"), rules);
  const offers = await Promise.all(
    ["m", "n"].map(async (identity) => {
      const keys = await newSignatureKeys();
      const credential = await signStatement(service, keys.publicKey, { identity });
      const keyPackage = await forgedKeyPackage(credential, keys, ({ leafNode, ...rest }) => ({
        ...rest,
        leafNode: { ...leafNode, hpkePublicKey: Uint8Array.from({ length: 32 }, () => 9) },
      }));
      return { keyPackage, credential, signatureKey: keys.publicKey };
    }),
  );
  for (const { credential, signatureKey } of offers)
    await membership.mayBeAdded(credential, signatureKey);
  expect(await refusalOf(group.commit(offers, []))).toContain("the same key");
});

test("a commit that lost is discarded, and the winner's is processed", async () => {
  const [a, b] = await addTo([await MlsGroup.create(id, await device("a"), rules)], ["b"]);
  if (!a || !b) throw new Error("two groups");
  const own = await device("c");
  await a.commit([await offerOf(await device("d"))], []);
  const { commit } = await b.commit([await offerOf(own)], []);
  b.apply();
  expect(await a.process(commit, null)).toBe(true);
  expect(await secretOf(a)).toBe(await secretOf(b));
  expect(() => a.apply()).toThrow("There is no commit to apply.");
});

test("a device that comes back replaces its old leaf in one commit", async () => {
  const [a, b] = await addTo([await MlsGroup.create(id, await device("a"), rules)], ["b"]);
  if (!a || !b) throw new Error("two groups");
  const own = await device("b");
  const { welcome } = await a.commit([await offerOf(own)], [b.ownLeaf]);
  a.apply();
  const back = await MlsGroup.join(id, welcome ?? new Uint8Array(), own, rules, null);
  expect(await secretOf(back)).toBe(await secretOf(a));
  expect(a.leaves).toHaveLength(2);
});

test("key packages without a valid statement are not taken", async () => {
  const stranger = await newStatementKey();
  const read = async (own: OwnKeyPackage) => readKeyPackage(own.bytes, membership);
  expect(await read(await device("a"))).not.toBeNull();
  expect(await read(await device("a", stranger))).toBeNull();
  expect(await read(await device("a", service, { room: "other" }))).toBeNull();
  expect(await read(await device("a", service, { place: "breakout" }))).toBeNull();
  expect(await read(await device("a", service, { meeting: "other" }))).toBeNull();
  expect(await read(await device("a", service, { expiresAt: -day }))).toBeNull();
  const own = await device("a");
  const flipped = own.bytes.slice();
  flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
  expect(await readKeyPackage(flipped, membership)).toBeNull();
  expect(await readKeyPackage(new Uint8Array([...own.bytes, 0]), membership)).toBeNull();
});

const day = 24 * 3_600_000;

test("two devices of the same identity are not in a group at once", async () => {
  const [a] = await addTo([await MlsGroup.create(id, await device("a"), rules)], ["b"]);
  const second = await offerOf(await device("b"));
  expect(await refusalOf(a?.commit([second], []) ?? Promise.resolve())).toBe(
    "invalid: Two members have the same identity.",
  );
});

/** A member whose program does what it likes: the library without our checks. */
async function looseMember(
  honest: MlsGroup,
  name: string,
  more: GroupRules = rules,
  linkSecret = more.linkSecret,
) {
  const own = await device(name);
  const { commit, welcome } = await honest.commit([await offerOf(own)], []);
  honest.apply();
  const suite = await cipherSuite();
  const state: ClientState = await stateFromWelcome(
    {
      ...more,
      groupId: id,
      welcome: welcome ?? new Uint8Array(),
      own,
      config: defaultClientConfig,
    },
    suite,
  );
  const commits = async (extraProposals: Proposal[]) => {
    const pskIndex = linkPskIndex(linkSecret);
    const made = await createCommit(
      { state, cipherSuite: suite, pskIndex },
      { extraProposals, ratchetTreeExtension: true },
    );
    return encodeMlsMessage(made.commit);
  };
  return { commit, commits, state };
}

test("a commit of a modified member is refused, and nothing has changed", async () => {
  const a = await MlsGroup.create(id, await device("a"), rules);
  const { commits } = await looseMember(a, "m");
  const before = await secretOf(a);
  const stranger = await device("x", await newStatementKey());
  const expired = await device("e", service, { expiresAt: -day });
  const again = await device("a");
  const add = ({ keyPackage }: OwnKeyPackage): Proposal => ({
    proposalType: "add",
    add: { keyPackage },
  });
  const attempts: [Proposal[], string][] = [
    [[add(stranger)], "invalid: Could not validate credential"],
    [[add(expired)], "invalid: Somebody is added without a statement that is still good."],
    [[add(again)], "invalid: Two members have the same identity."],
    [[], "invalid: The commit does nothing."],
    [
      [
        {
          proposalType: "group_context_extensions",
          groupContextExtensions: { extensions: [] },
        },
      ],
      "invalid: The commit does more than to add and to remove.",
    ],
  ];
  for (const [proposals, reason] of attempts) {
    expect(await refusalOf(a.process(await commits(proposals), null))).toBe(reason);
  }
  expect(await refusalOf(a.process(new Uint8Array([1, 2, 3]), null))).toMatch(/^invalid: /);
  expect(await secretOf(a)).toBe(before);
  expect(await a.process(await commits([add(await device("b"))]), null)).toBe(true);
});

test("a member applies a commit of another device by its proposals, also its own removal", async () => {
  const a = await MlsGroup.create(id, await device("a"), rules);
  const { commits } = await looseMember(a, "m");
  const commit = await commits([{ proposalType: "remove", remove: { removed: 0 } }]);
  expect(await a.process(commit, null)).toBe(false);
});

test("with a link secret a device that lacks it learns nothing, and one that has it joins", async () => {
  const linkSecret = new Uint8Array(16).fill(9);
  const withSecret = { membership, linkSecret };
  const a = await MlsGroup.create(id, await device("a"), withSecret);
  const [b, c, d] = [await device("b"), await device("c"), await device("d")];
  const offers = await Promise.all([b, c, d].map(offerOf));
  const { welcome } = await a.commit(offers, []);
  a.apply();
  const bytes = welcome ?? new Uint8Array();
  const other = { membership, linkSecret: new Uint8Array(16).fill(8) };
  expect(await refusalOf(MlsGroup.join(id, bytes, b, rules, null))).toMatch(/^link_secret: /);
  expect(await refusalOf(MlsGroup.join(id, bytes, c, other, null))).toMatch(/^link_secret: /);
  const joined = await MlsGroup.join(id, bytes, d, withSecret, null);
  expect(await secretOf(joined)).toBe(await secretOf(a));
});

test("a group with a link secret adds only devices that have it", async () => {
  const linkSecret = new Uint8Array(16).fill(9);
  const withSecret = { membership, linkSecret };
  const a = await MlsGroup.create(id, await device("a"), withSecret);
  const { commits } = await looseMember(a, "m", withSecret);
  const { keyPackage } = await device("b");
  const add: Proposal = { proposalType: "add", add: { keyPackage } };
  expect(await refusalOf(a.process(await commits([add]), null))).toBe(
    "link_secret: The commit adds without the link secret.",
  );
  expect(await a.process(await commits([add, linkSecretProposal()]), null)).toBe(true);
});

test("a member without the link secret cannot follow a commit that uses one", async () => {
  const linkSecret = new Uint8Array(16).fill(9);
  const a = await MlsGroup.create(id, await device("a"), rules);
  const { commits } = await looseMember(a, "m", rules, linkSecret);
  const { keyPackage } = await device("b");
  const add: Proposal = { proposalType: "add", add: { keyPackage } };
  expect(await refusalOf(a.process(await commits([add, linkSecretProposal()]), null))).toBe(
    "link_secret: This device has no link secret.",
  );
});

test("a group that many devices change many times does not divide", async () => {
  const random = seededRandom(4);
  let groups = [await MlsGroup.create(id, await device("0"), rules)];
  let count = 0;
  for (let step = 0; step < 40; step += 1) {
    const committer = groups[Math.floor(random() * groups.length)];
    if (!committer) throw new Error("nobody is left");
    const others = groups.filter((one) => one !== committer);
    const leaving = others.filter(() => random() < (groups.length > 10 ? 0.4 : 0.1));
    const owns: OwnKeyPackage[] = [];
    for (let add = Math.floor(random() * 3); add > 0; add -= 1) {
      count += 1;
      owns.push(await device(String(count)));
    }
    if (owns.length + leaving.length === 0) continue;
    const offers = await Promise.all(owns.map(offerOf));
    const removes = leaving.map(({ ownLeaf }) => ownLeaf);
    const { commit, welcome } = await committer.commit(offers, removes);
    committer.apply();
    for (const other of others)
      expect(await other.process(commit, null)).toBe(!leaving.includes(other));
    groups = groups.filter((one) => !leaving.includes(one));
    for (const own of owns) {
      groups.push(await MlsGroup.join(id, welcome ?? new Uint8Array(), own, rules, null));
    }
    const secrets = await Promise.all(groups.map(secretOf));
    expect(new Set(secrets).size).toBe(1);
  }
}, 60_000);

test("a removed member that keeps every secret cannot follow the group, even as another member", async () => {
  const a = await MlsGroup.create(id, await device("a"), rules);
  const { state } = await looseMember(a, "m");
  const own = await device("b");
  const joining = await a.commit([await offerOf(own)], []);
  a.apply();
  const b = await MlsGroup.join(id, joining.welcome ?? new Uint8Array(), own, rules, null);
  const kept = await read(state, joining.commit);
  const { commit } = await b.commit([], [1]);
  b.apply();
  await a.process(commit, null);
  for (const leafIndex of [0, 1, 2]) {
    const disguised = { ...kept, privatePath: { ...kept.privatePath, leafIndex } };
    const next = await read(disguised, commit).catch(() => null);
    expect(next?.groupActiveState.kind ?? "removedFromGroup").toBe("removedFromGroup");
  }
});

/** What the library makes of a commit, with everything kept. */
async function read(state: ClientState, commit: Uint8Array): Promise<ClientState> {
  const message = readMessage(commit);
  if (message.wireformat !== "mls_private_message") throw new Error("not a commit");
  const copy = structuredClone({ ...state, clientConfig: undefined });
  const whole = { ...copy, clientConfig: state.clientConfig } as ClientState;
  const { privateMessage } = message;
  const suite = await cipherSuite();
  const result = await processPrivateMessage(whole, privateMessage, linkPskIndex(null), suite);
  if (result.kind !== "newState") throw new Error("not a commit");
  return result.newState;
}

test("a closed group has no secrets left", async () => {
  const a = await MlsGroup.create(id, await device("a"), rules);
  const { authenticator } = a;
  a.close();
  expect(authenticator.every((byte) => byte === 0)).toBe(true);
});

test("the secrets of the epoch before are erased", async () => {
  const a = await MlsGroup.create(id, await device("a"), rules);
  const { authenticator } = a;
  await addTo([a], ["b"]);
  expect(authenticator.every((byte) => byte === 0)).toBe(true);
});
