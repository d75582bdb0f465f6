import { expect, test } from "vitest";
import { newStatementKey, PlayedDelivery } from "./played-delivery.js";

const groupId = "Z3JvdXAtZ3JvdXAtZ3JvdQ";

/** Mallory made the group, and has added Ada and Bob. Ada has sent a commit, too. */
async function meet() {
  let now = 0;
  const delivery = new PlayedDelivery(await newStatementKey(), () => now);
  for (const identity of ["mallory", "ada", "bob"]) delivery.setPresent(null, identity, true);
  delivery.create(null, "mallory", groupId);
  const commit = (from: string, identity?: string) => {
    const { epoch = 0 } = delivery.partFor(null, from) ?? {};
    const adds = identity === undefined ? [] : [{ identity, key_package: digestOfNothing }];
    const said = { group_id: groupId, epoch, commit: "AAAA", welcome: "AAAA" };
    return delivery.commit(null, from, { ...said, check: "", link: null, adds, removes: [] });
  };
  const add = async (from: string, identity: string) => {
    delivery.sendKeyPackage(null, identity, "");
    return (await commit(from, identity)).seq;
  };
  await add("mallory", "ada");
  const ofMallory = await add("mallory", "bob");
  const { seq: ofAda } = await commit("ada");
  const refuse = (identity: string, seq: number) =>
    delivery.refuse(null, identity, { group_id: groupId, seq });
  const goesOn = () => delivery.partFor(null, "ada")?.group_id === groupId;
  const pass = (time: number) => {
    now += time;
  };
  return { delivery, add, refuse, ofMallory, ofAda, goesOn, pass };
}

const digestOfNothing = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";

/** Mallory has made a group, and has ended it while another device waited. */
async function afterGroup(other: string) {
  let now = 0;
  const delivery = new PlayedDelivery(await newStatementKey(), () => now);
  for (const identity of ["guest_m.1", other]) delivery.setPresent(null, identity, true);
  delivery.create(null, "guest_m.1", groupId);
  delivery.sendKeyPackage(null, other, "");
  delivery.sendKeyPackage(null, "guest_m.1", "");
  const pass = (time: number) => {
    now += time;
  };
  return { delivery, pass };
}

test.each([
  ["somebody waits", "guest_a.1", 0, false],
  ["for ten seconds", "guest_a.1", 9_999, false],
  ["but not longer", "guest_a.1", 10_000, true],
  ["nor when the clock is set back", "guest_a.1", -10_001, true],
  ["another device of the person waits", "guest_m.2", 0, true],
])("who makes the next group: %s", async (_what, other, time, isMallory) => {
  const { delivery, pass } = await afterGroup(other);
  pass(time);
  const create = () => delivery.create(null, "guest_m.1", groupId);
  if (isMallory) expect(create().seq).toBe(3);
  else expect(create).toThrow("not_in_group");
});

test("the log keeps what is new, and the commit before it", async () => {
  const { delivery, pass } = await meet();
  const send = async (commit: string) => {
    const { epoch = 0 } = delivery.partFor(null, "ada") ?? {};
    const said = { check: "", link: null, adds: [], removes: [] };
    const message = { group_id: groupId, epoch, commit, welcome: null };
    return (await delivery.commit(null, "ada", { ...message, ...said })).seq;
  };
  await send("AAAA");
  const before = await send("AAAA");
  pass(10_000);
  for (let time = 0; time < 9; time += 1) await send("A".repeat(2 << 20));
  const read = (after: number) => delivery.messages(null, "ada", groupId, after).data;
  expect(read(before - 1).map(({ seq }) => seq)).toEqual([before, before + 1, before + 2]);
  expect(() => read(before - 2)).toThrow("not_found");
});

test("refusals of messages of one author end the group", async () => {
  const { refuse, ofMallory, goesOn } = await meet();
  refuse("bob", ofMallory);
  expect(goesOn()).toBe(true);
  refuse("ada", ofMallory);
  expect(goesOn()).toBe(false);
});

test("refusals that blame different authors add up", async () => {
  const { delivery, add, refuse, ofMallory, ofAda, goesOn } = await meet();
  delivery.setPresent(null, "cyd", true);
  await add("mallory", "cyd");
  refuse("bob", ofMallory);
  refuse("cyd", ofAda);
  expect(goesOn()).toBe(true);
  refuse("ada", ofMallory);
  expect(goesOn()).toBe(false);
});

test("an author is barred when somebody leaves and most are left who blame the author", async () => {
  const { delivery, add, refuse, ofMallory, goesOn } = await meet();
  delivery.setPresent(null, "cyd", true);
  await add("mallory", "cyd");
  refuse("bob", ofMallory);
  refuse("ada", ofMallory);
  expect(goesOn()).toBe(true);
  delivery.forget(null, "cyd");
  expect(goesOn()).toBe(false);
  delivery.sendKeyPackage(null, "mallory", "");
  expect(delivery.partFor(null, "bob")?.waiting).toEqual([]);
});

test("refusals of no message end the group, and bar nobody", async () => {
  const { delivery, refuse, ofAda, goesOn } = await meet();
  refuse("bob", 0);
  refuse("mallory", ofAda);
  expect(goesOn()).toBe(false);
  delivery.sendKeyPackage(null, "ada", "");
  const { waiting } = delivery.partFor(null, "bob") ?? {};
  expect(waiting?.map(({ identity }) => identity)).toContain("ada");
});

test("the refusal of somebody whom as many others blame does not count", async () => {
  const { refuse, ofMallory, ofAda, goesOn } = await meet();
  refuse("bob", ofMallory);
  refuse("mallory", ofAda);
  expect(goesOn()).toBe(true);
});

test("nor does the author's own", async () => {
  const { refuse, ofMallory, goesOn } = await meet();
  refuse("bob", ofMallory);
  refuse("mallory", 0);
  expect(goesOn()).toBe(true);
});

test.each([
  [59_999, false],
  [60_000, true],
])("after %d ms in the group again, a refusal counts no more: %s", async (time, isOld) => {
  const { delivery, add, refuse, ofMallory, goesOn, pass } = await meet();
  refuse("bob", ofMallory);
  await add("ada", "bob");
  pass(time);
  delivery.sendKeyPackage(null, "bob", "");
  refuse("ada", ofMallory);
  expect(goesOn()).toBe(isOld);
});
