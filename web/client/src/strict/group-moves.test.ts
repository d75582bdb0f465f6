import { expect, test } from "vitest";
import { checksTake, type MemberLeaf, planFor, situationOf, type View } from "./group-moves.js";
import type { GroupPart } from "./group-protocol.js";

const part = (more: Partial<GroupPart> = {}): GroupPart => ({
  place: null,
  group_id: "g",
  epoch: 4,
  seq: 10,
  service_key: "key of the service",
  members: ["a", "b", "c"],
  waiting: [],
  ...more,
});

const leaf = (identity: string, index: number): MemberLeaf => ({
  identity,
  index,
  signatureKey: `key of ${identity}`,
});

const leaves = [leaf("a", 0), leaf("b", 1), leaf("c", 2)];
const crowd = Array.from({ length: 1000 }, (_, i) => leaf(i < 999 ? `person ${i}` : "z", i));
const inGroup = { id: "g", epoch: 4, seq: 10, leaves };

const view = (more: Partial<View> = {}): View => ({
  me: "b",
  place: null,
  part: part(),
  group: inGroup,
  serviceKey: "key of the service",
  hasKeyPackage: false,
  candidate: null,
  barredFrom: null,
  fetched: 0,
  isBehind: false,
  isDoubtful: false,
  isRefusing: false,
  isUnanswered: false,
  offers: new Map([
    ["kp of d", { signatureKey: "key of d" }],
    ["kp of e", { signatureKey: "key of e" }],
    ["new kp of a", { signatureKey: "new key of a" }],
    ["kp of a again", { signatureKey: "key of a" }],
  ]),
  ...more,
});

const waits = (identity: string, key_package = `kp of ${identity}`) => ({ identity, key_package });

const planOf = (more: Partial<View>) => {
  const { move, after, epochLasts } = planFor(situationOf(view(more)));
  const { kind, ...rest } = move;
  const pace = epochLasts > 0 ? { epochLasts } : {};
  return { kind, after, ...pace, ...("change" in rest ? changed(rest.change) : {}) };
};

const changed = ({
  adds,
  removes,
}: {
  adds: readonly { identity: string }[];
  removes: readonly MemberLeaf[];
}) => ({
  adds: adds.map(({ identity }) => identity).join(),
  removes: removes.map(({ identity }) => identity).join(),
});

const never = Number.POSITIVE_INFINITY;
const alone = { group: null, hasKeyPackage: true } as const;

test.each<[string, Partial<View>, object]>([
  ["nothing changes", {}, { kind: "wait", after: never }],
  ["the device is not in the place", { part: null }, { kind: "wait", after: never }],
  ["the part is of another place", { part: part({ place: "x" }) }, { kind: "wait", after: never }],
  [
    "somebody left: the second present leaf steps in after half a second",
    { part: part({ members: ["a", "b"] }) },
    { kind: "commit", after: 500, adds: "", removes: "c" },
  ],
  [
    "the first leaf left: the next one removes it at once",
    { part: part({ members: ["b", "c"] }) },
    { kind: "commit", after: 0, adds: "", removes: "a" },
  ],
  [
    "somebody waits: joins are gathered",
    { me: "a", part: part({ waiting: [waits("d")] }) },
    { kind: "commit", after: 0, epochLasts: 300, adds: "d", removes: "" },
  ],
  [
    "somebody waits, and this is the third leaf",
    { me: "c", part: part({ waiting: [waits("d"), waits("e")] }) },
    { kind: "commit", after: 1000, epochLasts: 300, adds: "d,e", removes: "" },
  ],
  [
    "a removal takes those who wait along",
    { me: "a", part: part({ members: ["a", "b"], waiting: [waits("d")] }) },
    { kind: "commit", after: 0, adds: "d", removes: "c" },
  ],
  [
    "a key package that is not valid adds nobody",
    { part: part({ waiting: [waits("x")] }) },
    { kind: "wait", after: never },
  ],
  [
    "somebody came back with a new key: their leaf goes and they are added",
    { part: part({ members: ["b", "c"], waiting: [waits("a", "new kp of a")] }) },
    { kind: "commit", after: 0, adds: "a", removes: "a" },
  ],
  [
    "somebody came back with the same key: their leaf goes first",
    { part: part({ members: ["b", "c"], waiting: [waits("a", "kp of a again")] }) },
    { kind: "commit", after: 0, adds: "", removes: "a" },
  ],
  [
    "somebody who could not be added with others waits for them",
    {
      part: part({ waiting: [waits("d"), waits("e")] }),
      offers: new Map([
        ["kp of d", { signatureKey: "key of d", isDoubted: true }],
        ["kp of e", { signatureKey: "key of e" }],
      ]),
    },
    { kind: "commit", after: 500, epochLasts: 300, adds: "e", removes: "" },
  ],
  [
    "those who could not be added together are added one by one",
    {
      part: part({ waiting: [waits("d"), waits("e")] }),
      offers: new Map([
        ["kp of d", { signatureKey: "key of d", isDoubted: true }],
        ["kp of e", { signatureKey: "key of e", isDoubted: true }],
      ]),
    },
    { kind: "commit", after: 500, epochLasts: 300, adds: "d", removes: "" },
  ],
  ["the group went on", { part: part({ epoch: 5, seq: 11 }) }, { kind: "fetch", after: 0 }],
  ["the service said so", { isBehind: true }, { kind: "fetch", after: 0 }],
  [
    "the stream is late, and lists more people or fewer",
    { part: part({ epoch: 3, seq: 9, members: ["b"] }) },
    { kind: "check", after: 1020 },
  ],
  [
    "the service may have lost a commit, and the first leaf asks for it",
    { isDoubtful: true, me: "a" },
    { kind: "check", after: 0 },
  ],
  [
    "the others do not ask at the same moment",
    { isDoubtful: true, me: "c" },
    { kind: "check", after: 40 },
  ],
  [
    "the last one of many asks within two seconds",
    { isDoubtful: true, me: "z", group: { ...inGroup, leaves: crowd } },
    { kind: "check", after: 1998 },
  ],
  [
    "nor does one of many wait for longer when the stream is late",
    { part: part({ epoch: 3, seq: 9 }), me: "z", group: { ...inGroup, leaves: crowd } },
    { kind: "check", after: 2998 },
  ],
  [
    "the service signs with another key",
    { part: part({ service_key: "another key" }) },
    { kind: "announce", after: 0 },
  ],
  [
    "the service lists this device no more",
    { part: part({ members: ["a", "c"] }) },
    { kind: "announce", after: 1000 },
  ],
  ["a commit has no answer yet", { isUnanswered: true }, { kind: "send", after: 0 }],
  [
    "there is another group",
    { part: part({ group_id: "h", seq: 11 }) },
    { kind: "announce", after: 0 },
  ],
  [
    "there may be another group, if the stream is not late",
    { part: part({ group_id: null, seq: 9 }) },
    { kind: "announce", after: 3000 },
  ],
  [
    "the device is new",
    { ...alone, hasKeyPackage: false, part: part({ members: ["a"] }) },
    { kind: "announce", after: 0 },
  ],
  [
    "it waits to be added",
    { ...alone, me: "d", part: part({ waiting: [waits("d")] }) },
    { kind: "refuse", after: 20_000 },
  ],
  [
    "it cannot be in the group, and the service does not know",
    { ...alone, isRefusing: true, part: part({ members: ["b"] }) },
    { kind: "refuse", after: 0 },
  ],
  [
    "the service does not say that it waits",
    { ...alone, me: "d" },
    { kind: "announce", after: 3000 },
  ],
  ["it was added", { ...alone, fetched: 9 }, { kind: "fetch", after: 0 }],
  ["it was added, and cannot join", { ...alone, fetched: 10 }, { kind: "announce", after: 3000 }],
  ["its link secret is wrong", { ...alone, barredFrom: "g" }, { kind: "wait", after: never }],
  [
    "there is no group, and this device comes first",
    {
      ...alone,
      me: "d",
      part: part({ group_id: null, members: [], waiting: [waits("d"), waits("a")] }),
    },
    { kind: "create", after: 0 },
  ],
  [
    "there is no group, and two come first",
    {
      ...alone,
      me: "f",
      part: part({ group_id: null, members: [], waiting: [waits("x"), waits("e"), waits("f")] }),
    },
    { kind: "create", after: 1000 },
  ],
  [
    "there is no group, and five come first",
    {
      ...alone,
      me: "f",
      part: part({ group_id: null, members: [], waiting: [..."abcdef"].map((one) => waits(one)) }),
    },
    { kind: "create", after: 2000 },
  ],
  [
    "the group that it asked for exists",
    { ...alone, candidate: "g", part: part({ members: ["b"] }) },
    { kind: "adopt", after: 0 },
  ],
])("%s", (_name, more, plan) => {
  expect(planOf(more)).toEqual(plan);
});

test("a commit adds only as many devices as fit into a request", () => {
  const names = Array.from({ length: 100 }, (_, index) => `x${index}`);
  const offers = new Map(names.map((name) => [`kp of ${name}`, { signatureKey: name }]));
  const waiting = names.map((name) => waits(name));
  const situation = situationOf(view({ me: "a", offers, part: part({ waiting }) }));
  if (situation.kind !== "changing") throw new Error(situation.kind);
  expect(situation.change.adds).toHaveLength(64);
});

test("the time in which devices ask one after the other has a limit", () => {
  expect([1, 3, 100, 1000].map(checksTake)).toEqual([20, 60, 2000, 2000]);
});
