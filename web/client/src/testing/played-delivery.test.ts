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
