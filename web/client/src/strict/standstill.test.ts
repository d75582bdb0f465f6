/** Groups that cannot go on as they are: they end, and the devices make another. */
import { encodeMlsMessage } from "ts-mls/message.js";
import { expect, test } from "vitest";
import { fromBase64Url, toBase64Url } from "../recording/base64url.js";
import { ServiceError } from "../service-error.js";
import { type Forgery, forgedKeyPackage, forgeries } from "../testing/forged-key-package.js";
import type { GroupWorld } from "../testing/group-world.js";
import { groupId, mlsDevices } from "../testing/mls-devices.js";
import { openWorld } from "../testing/open-world.js";
import { newStatementKey } from "../testing/played-delivery.js";
import type { Change } from "./group-moves.js";
import { MlsGroup } from "./mls-group.js";
import { newSignatureKeys } from "./mls-suite.js";
import { newCommitOf, OfferBook } from "./offer-book.js";
import { keyDigest } from "./statement.js";

const nothingSaid = { check: "A".repeat(43), link: null, adds: [], removes: [] };
const linkSecret = new Uint8Array(16).fill(42);

/** A device with a genuine statement makes the group, and goes on as a test wants. */
async function foundGroup({ delivery }: GroupWorld, identity: string) {
  const { device, rules, membership, service } = await mlsDevices();
  delivery.key = service;
  const group = await MlsGroup.create(groupId, await device(identity), rules);
  delivery.setPresent(null, identity, true);
  delivery.create(null, identity, toBase64Url(groupId));
  return { group, membership, offers: new OfferBook() };
}

/** A device in the meeting that has a genuine statement and sends forged key packages. */
async function guestWith(world: GroupWorld, identity: string, forge: Forgery) {
  const { delivery } = world;
  delivery.setPresent(null, identity, true);
  const keys = await newSignatureKeys();
  const publicKey = toBase64Url(keys.publicKey);
  return async () => {
    const { statement } = await delivery.statement(null, identity, publicKey);
    const keyPackage = await forgedKeyPackage(statement, keys, forge);
    const message = { version: "mls10", wireformat: "mls_key_package", keyPackage } as const;
    delivery.sendKeyPackage(null, identity, toBase64Url(encodeMlsMessage(message)));
  };
}

test.each(forgeries)("a device that %s keeps nobody out, and nobody in", async (_what, forge) => {
  const { world, come, areTogether } = await openWorld(6);
  const ada = await come("b-ada");
  const bob = await come("c-bob");
  const gone = await come("d-gone");
  await world.until("three are in one group", () => areTogether(ada, bob, gone));
  const announce = await guestWith(world, "a-mallory", forge);
  const carol = await come("e-carol");
  world.drop(gone);
  const isDone = () =>
    areTogether(ada, bob, carol) &&
    [ada, bob, carol].every(({ state }) =>
      state?.members.every(({ identity }) => identity !== "d-gone"),
    );
  // She sends one key package after the other.
  for (let time = 0; time < 20 && !isDone(); time += 1) {
    await announce();
    await world.pass(150);
  }
  expect(isDone()).toBe(true);
  const dave = await come("f-dave");
  await world.until("Dave is in, too", () => areTogether(ada, bob, carol, dave), 3000);
});

test("people with one link secret meet after somebody without it, who came first, has left", async () => {
  const { world, come, areTogether } = await openWorld(1);
  const eve = await come("a-eve");
  await world.until("Eve is alone", () => eve.state !== null);
  const ada = await come("b-ada", linkSecret);
  await world.until("Ada cannot join", () => ada.troubles.at(-1)?.reason === "link_secret");
  await world.until("Eve is alone again", () => eve.state?.members.length === 1);
  world.drop(eve);
  await world.until("Ada makes a group", () => areTogether(ada), 5000);
  const bob = await come("c-bob", linkSecret);
  await world.until("Ada and Bob are in one group", () => areTogether(ada, bob), 5000);
});

test("two people with one link secret need not wait until somebody without it leaves", async () => {
  const { world, come, areTogether } = await openWorld(2);
  const eve = await come("a-eve");
  await world.until("Eve is alone", () => eve.state !== null);
  const ada = await come("b-ada", linkSecret);
  const bob = await come("c-bob", linkSecret);
  await world.until("Ada and Bob are in one group", () => areTogether(ada, bob), 10_000);
  await world.until("Eve is told", () => eve.troubles.at(-1)?.reason === "link_secret");
  await world.pass(60_000);
  expect(areTogether(ada, bob)).toBe(true);
  expect(eve.state).toBeNull();
});

test("a device that makes the group and adds nobody is left alone by two others", async () => {
  const { world, come, areTogether } = await openWorld(3);
  const { delivery } = world;
  delivery.setPresent(null, "a-mallory", true);
  delivery.create(null, "a-mallory", "bXV0ZS1tdXRlLW11dGUtbQ");
  const ada = await come("b-ada");
  const bob = await come("c-bob");
  await world.until("Ada and Bob are in one group", () => areTogether(ada, bob), 40_000);
});

test("a device that says it adds others, and has a welcome for none, is left alone", async () => {
  const { world, come, areTogether } = await openWorld(7);
  const { delivery } = world;
  const { device, offerOf, rules } = await mlsDevices();
  const elsewhere = await MlsGroup.create(groupId, await device("a-mallory"), rules);
  const { welcome } = await elsewhere.commit([await offerOf(await device("x"))], []);
  delivery.setPresent(null, "a-mallory", true);
  delivery.create(null, "a-mallory", "bXV0ZS1tdXRlLW11dGUtbQ");
  const addNobody = async () => {
    const { group_id, epoch = 0, waiting = [] } = delivery.partFor(null, "a-mallory") ?? {};
    if (group_id !== "bXV0ZS1tdXRlLW11dGUtbQ" || waiting.length === 0) return;
    const digests = waiting.map(async ({ identity, key_package }) => ({
      identity,
      key_package: await keyDigest(fromBase64Url(key_package)),
    }));
    const adds = await Promise.all(digests);
    const said = { group_id, epoch, commit: "AAAA", welcome: toBase64Url(welcome ?? groupId) };
    await delivery.commit(null, "a-mallory", { ...said, ...nothingSaid, adds });
  };
  const ada = await come("b-ada");
  const bob = await come("c-bob");
  for (let time = 0; time < 300 && !areTogether(ada, bob); time += 1) {
    await addNobody();
    await world.pass(100);
  }
  expect(areTogether(ada, bob)).toBe(true);
});

test("a device that adds others and removes them at once is left alone", async () => {
  const { world, come, areTogether } = await openWorld(8);
  const { delivery } = world;
  const { group, membership, offers } = await foundGroup(world, "a-mallory");
  const change = async (adds: Change["adds"], removed: readonly number[]) => {
    const changes = { adds, removes: [] };
    const made = await group.commit(offers.of(changes), removed);
    const commit = await newCommitOf(toBase64Url(groupId), made, changes);
    await delivery.commit(null, "a-mallory", commit);
    group.apply();
  };
  const disturb = async () => {
    const { group_id, waiting = [] } = delivery.partFor(null, "a-mallory") ?? {};
    if (group_id !== toBase64Url(groupId)) return;
    await offers.read(waiting, membership);
    const here = waiting.map(({ identity, key_package }) => ({
      identity,
      keyPackage: key_package,
    }));
    const others = group.leaves.slice(1).map(({ index }) => index);
    if (others.length > 0) await change([], others);
    else if (here.length > 0) await change(here, []);
  };
  const ada = await come("b-ada");
  const bob = await come("c-bob");
  for (let time = 0; time < 300; time += 1) {
    await disturb();
    await world.pass(100);
  }
  expect(areTogether(ada, bob)).toBe(true);
  expect(ada.state?.members).toHaveLength(2);
});

test("a member who removes people without telling the service is left alone", async () => {
  const { world, come, areTogether } = await openWorld(10);
  const { delivery } = world;
  const { group, membership, offers } = await foundGroup(world, "a-mallory");
  const disturb = async () => {
    const { group_id, waiting = [] } = delivery.partFor(null, "a-mallory") ?? {};
    if (group_id !== toBase64Url(groupId)) return;
    await offers.read(waiting, membership);
    const adds = waiting.map(({ identity, key_package }) => ({
      identity,
      keyPackage: key_package,
    }));
    const victims = group.leaves.filter(
      ({ credential }) => membership.identityOf(credential) === "d-carol",
    );
    if (adds.length + victims.length === 0) return;
    const change = { adds, removes: [] };
    const removed = victims.map(({ index }) => index);
    const commit = await newCommitOf(
      toBase64Url(groupId),
      await group.commit(offers.of(change), removed),
      change,
    );
    await delivery.commit(null, "a-mallory", commit);
    group.apply();
  };
  const people = [await come("b-ada"), await come("c-bob"), await come("d-carol")] as const;
  for (let time = 0; time < 200; time += 1) {
    await disturb();
    await world.pass(50);
  }
  expect(areTogether(...people)).toBe(true);
  expect(people[0].state?.members).toHaveLength(3);
});

test("the others leave a device alone whose commit none of them can apply", async () => {
  const { world, come, areTogether } = await openWorld(4);
  const mallory = await come("a-mallory");
  const ada = await come("b-ada");
  const bob = await come("c-bob");
  await world.until("all are in one group", () => areTogether(mallory, ada, bob));
  const disturb = async () => {
    const part = world.delivery.partFor(null, "a-mallory");
    const commit = { commit: "AAAA", welcome: null, ...nothingSaid };
    const { group_id, epoch } = part ?? {};
    if (!group_id || epoch === undefined) throw new Error("There is no group.");
    await world.delivery.commit(null, "a-mallory", { ...commit, group_id, epoch });
  };
  mallory.sleep();
  const before = ada.state?.groupId;
  await disturb();
  await world.until("Ada and Bob are in one group", () => {
    return ada.state?.groupId !== before && areTogether(ada, bob);
  });
  // She comes back, and nobody adds her while others are there: she would do it again.
  mallory.wake();
  await world.pass(30_000);
  expect(areTogether(ada, bob)).toBe(true);
  await expect(disturb()).rejects.toMatchObject({ code: "not_in_group" });
  // Alone she is no danger to anybody.
  world.drop(ada);
  world.drop(bob);
  await world.until("Mallory makes a group", () => areTogether(mallory), 10_000);
});

test("a device that nobody is told of asks less and less often", async () => {
  const { world, come, areTogether } = await openWorld(11);
  const { delivery } = world;
  const ada = await come("a-ada");
  await world.until("Ada has a group", () => ada.state !== null);
  const { partFor, sendKeyPackage } = delivery;
  delivery.partFor = (...of) => {
    const part = partFor.apply(delivery, of);
    return part && { ...part, waiting: [] };
  };
  let asked = 0;
  delivery.sendKeyPackage = (...of) => {
    asked += 1;
    sendKeyPackage.apply(delivery, of);
  };
  const bob = await come("b-bob");
  await world.pass(60_000);
  expect(asked).toBeGreaterThan(5);
  expect(asked).toBeLessThan(15);
  delivery.partFor = partFor;
  world.retell();
  await world.until("Bob is in", () => areTogether(ada, bob), 3000);
});

test("nobody is blamed when the service gets an earlier key package last", async () => {
  const { world, come, areTogether } = await openWorld(12);
  const { delivery } = world;
  const ada = await come("a-ada");
  await world.until("Ada has a group", () => ada.state !== null);
  const { sendKeyPackage } = delivery;
  const sent: string[] = [];
  delivery.sendKeyPackage = (place, identity, keyPackage) => {
    sent.push(keyPackage);
    if (sent.length === 1) throw new ServiceError(0, "network", "no answer", null);
    const isSecond = sent.length === 2;
    sendKeyPackage.call(delivery, place, identity, (isSecond && sent[0]) || keyPackage);
  };
  const bob = await come("b-bob");
  await world.until("Bob is in", () => areTogether(ada, bob), 5000);
  expect(sent.length).toBeGreaterThan(2);
  expect(bob.troubles.map(({ reason }) => reason)).toEqual(["lost"]);
});

test("people come in after the service has got another key to sign with", async () => {
  const { world, come, areTogether } = await openWorld(5);
  const ada = await come("b-ada");
  const bob = await come("c-bob");
  await world.until("Ada and Bob are in one group", () => areTogether(ada, bob));
  world.delivery.key = await newStatementKey();
  world.retell();
  const eve = await come("a-eve");
  await world.until("all are in one group", () => areTogether(ada, bob, eve), 5000);
  await world.pass(60_000);
  expect(areTogether(ada, bob, eve)).toBe(true);
});
