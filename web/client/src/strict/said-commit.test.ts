/** Commits and welcomes whose authors do not tell the truth about them. */
import { expect, test } from "vitest";
import { groupId as id, mlsDevices, refusalOf, secretOf } from "../testing/mls-devices.js";
import type { SaidCommit } from "./group-protocol.js";
import { MlsGroup, type PendingCommit } from "./mls-group.js";

const { rules, membership, device, offerOf, addTo } = await mlsDevices();
const nothing = new Uint8Array();

const founded = async (more = rules) => MlsGroup.create(id, await device("a"), more);

/** What an honest author says. */
const truth = (
  { check, link }: PendingCommit,
  adds: readonly string[] = [],
  removes: readonly string[] = [],
): SaidCommit => ({
  check,
  link,
  adds: adds.map((identity) => ({ identity, key_package: "" })),
  removes,
});

test("what an honest author says is true for members and for those who join", async () => {
  const [a, b, c] = await addTo([await founded()], ["b", "c"]);
  if (!a || !b || !c) throw new Error("three groups");
  const [d, e] = [await device("d"), await device("e")];
  const made = await a.commit([await offerOf(d), await offerOf(e)], [b.ownLeaf]);
  a.apply();
  const said = truth(made, ["e", "d"], ["b"]);
  expect(await b.process(made.commit, said)).toBe(false);
  expect(await c.process(made.commit, said)).toBe(true);
  const joined = await MlsGroup.join(id, made.welcome ?? nothing, d, rules, said);
  expect(await secretOf(joined)).toBe(await secretOf(c));
});

test("a commit that removes or adds others than it says is refused", async () => {
  const [a, b, c] = await addTo([await founded()], ["b", "c"]);
  if (!a || !b || !c) throw new Error("three groups");
  const d = await device("d");
  const made = await a.commit([await offerOf(d)], [b.ownLeaf]);
  for (const [adds, removes] of [
    [["d"], []],
    [[], ["b"]],
    [["e"], ["b"]],
    [["d"], ["b", "c"]],
    [["d"], ["b", "b"]],
    [["d", "d"], ["b"]],
  ] as const) {
    expect(await refusalOf(c.process(made.commit, truth(made, adds, removes)))).toBe(
      "invalid: The commit changes other members than its author said.",
    );
  }
  expect(c.epoch).toBe(1);
  expect(await c.process(made.commit, truth(made, ["d"], ["b"]))).toBe(true);
});

test("a member who comes back in the same leaf, with the same key, does not pass unnoticed", async () => {
  const [a, b, c] = await addTo([await founded()], ["b", "c"]);
  if (!a || !b || !c) throw new Error("three groups");
  const again = await device("b");
  const made = await a.commit([await offerOf(again)], [b.ownLeaf]);
  expect(await refusalOf(c.process(made.commit, truth(made)))).toMatch(/changes other members/);
});

test("a welcome to another epoch than the members' is refused, not the commit after it", async () => {
  const [a, b] = await addTo([await founded()], ["b"]);
  if (!a || !b) throw new Error("two groups");
  const own = await device("c");
  const offer = await offerOf(own);
  const { welcome: elsewhere } = await a.commit([offer, await offerOf(await device("d"))], []);
  const made = await a.commit([offer], []);
  const said = truth(made, ["c"]);
  expect(await b.process(made.commit, said)).toBe(true);
  const joining = MlsGroup.join(id, elsewhere ?? nothing, own, rules, said);
  expect(await refusalOf(joining)).toBe(
    "invalid: The welcome leads to another epoch than its author said.",
  );
});

test("a commit with another digest than its author said is refused", async () => {
  const [a, b] = await addTo([await founded()], ["b"]);
  if (!a || !b) throw new Error("two groups");
  const other = await a.commit([await offerOf(await device("d"))], []);
  const made = await a.commit([await offerOf(await device("c"))], []);
  expect(await refusalOf(b.process(made.commit, truth(other, ["c"])))).toBe(
    "invalid: The commit leads to another epoch than its author said.",
  );
});

const secret = { membership, linkSecret: new Uint8Array(16).fill(9) };

test("a welcome that lacks the link secret of the group is its author's fault", async () => {
  const [b, c] = [await device("b"), await device("c")];
  const without = await (await founded()).commit([await offerOf(b)], []);
  const made = await (await founded(secret)).commit([await offerOf(c)], []);
  const join = (own: typeof b, welcome: Uint8Array | null, more: typeof rules, said: SaidCommit) =>
    refusalOf(MlsGroup.join(id, welcome ?? nothing, own, more, said));
  const [saysNone, saysSome] = [truth(without, ["b"]), truth(made, ["c"])];
  expect(saysNone.link).toBeNull();
  expect(saysSome.link).not.toBeNull();
  expect(await join(b, without.welcome, secret, saysSome)).toMatch(/^invalid: The author told/);
  expect(await join(b, without.welcome, secret, saysNone)).toMatch(/^link_secret: /);
  expect(await join(c, made.welcome, rules, saysNone)).toMatch(/^invalid: The author told/);
  expect(await join(c, made.welcome, rules, saysSome)).toMatch(/^link_secret: /);
  const other = { membership, linkSecret: new Uint8Array(16).fill(8) };
  expect(await join(c, made.welcome, other, saysSome)).toMatch(/^link_secret: /);
});

test("members refuse an author who lies about the link secret", async () => {
  const a = await founded(secret);
  const [, b] = await addTo([a], ["b"], secret);
  if (!b) throw new Error("two groups");
  const made = await a.commit([await offerOf(await device("c"))], []);
  for (const link of [null, "A".repeat(43)]) {
    expect(await refusalOf(b.process(made.commit, { ...truth(made, ["c"]), link }))).toBe(
      "invalid: The author stated another link secret than the one of this group.",
    );
  }
  expect(await b.process(made.commit, truth(made, ["c"]))).toBe(true);
});

test("a digest of the link secret says nothing about other groups", async () => {
  const some = await founded(secret);
  const other = await MlsGroup.create(new Uint8Array(16).fill(1), await device("a"), secret);
  const [one, two] = await Promise.all(
    [some, other].map(async (group) => group.commit([await offerOf(await device("b"))], [])),
  );
  expect(one?.link).not.toBe(two?.link);
});
