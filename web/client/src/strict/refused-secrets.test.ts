/** What a device derives from a message that it then refuses is erased. */
import type { ClientState } from "ts-mls";
import type * as processing from "ts-mls/processMessages.js";
import { expect, test, vi } from "vitest";
import { groupId as id, mlsDevices, refusalOf } from "../testing/mls-devices.js";
import { MlsGroup } from "./mls-group.js";
import type * as joining from "./mls-join.js";

/** The states that the library derived, as they are now. */
const { derived } = vi.hoisted(() => ({ derived: [] as ClientState[] }));

vi.mock("ts-mls/processMessages.js", async (load) => {
  const real = await load<typeof processing>();
  const processPrivateMessage: typeof real.processPrivateMessage = async (...of) => {
    const result = await real.processPrivateMessage(...of);
    derived.push(result.newState);
    return result;
  };
  return { ...real, processPrivateMessage };
});

vi.mock("./mls-join.js", async (load) => {
  const real = await load<typeof joining>();
  const stateFromWelcome: typeof real.stateFromWelcome = async (...of) => {
    const state = await real.stateFromWelcome(...of);
    derived.push(state);
    return state;
  };
  return { ...real, stateFromWelcome };
});

const { rules, device, offerOf, addTo } = await mlsDevices();
const untrue = { check: "A".repeat(43), link: null };

const isErased = (secret: Uint8Array) => secret.every((byte) => byte === 0);

/** What is left of the last state but its private keys, and its private keys. */
function left() {
  const state = derived.at(-1);
  if (!state) throw new Error("nothing was derived");
  const { keySchedule, secretTree, privatePath } = state;
  const secrets = Object.values(keySchedule) as Uint8Array[];
  for (const { handshake, application } of secretTree) {
    secrets.push(handshake.secret, application.secret);
  }
  const keys = Object.values(privatePath.privateKeys);
  return { secrets: secrets.filter((one) => !isErased(one)), keys };
}

test("of a commit", async () => {
  const group = await MlsGroup.create(id, await device("a"), rules);
  const [a, b, c] = await addTo([group], ["b", "c"]);
  if (!a || !b || !c) throw new Error("three groups");
  const said = { ...untrue, adds: [], removes: ["c"] };
  const made = await a.commit([], [c.ownLeaf]);
  expect(await refusalOf(b.process(made.commit, said))).toMatch(/^invalid: /);
  const { secrets, keys } = left();
  expect(secrets).toEqual([]);
  expect(keys.filter(isErased)).not.toEqual([]);
  // What it shares with the present epoch is not: the device still follows.
  expect(await b.process(made.commit, { ...said, check: made.check })).toBe(true);
  expect(left().secrets).not.toEqual([]);
  expect(left().keys.filter(isErased)).toEqual([]);
});

test("of a welcome", async () => {
  const a = await MlsGroup.create(id, await device("a"), rules);
  const own = await device("b");
  const { welcome } = await a.commit([await offerOf(own)], []);
  const said = { ...untrue, adds: [{ identity: "b", key_package: "" }], removes: [] };
  const joined = MlsGroup.join(id, welcome ?? new Uint8Array(), own, rules, said);
  expect(await refusalOf(joined)).toMatch(/^invalid: /);
  const { secrets, keys } = left();
  expect(secrets).toEqual([]);
  expect(keys).not.toEqual([]);
  expect(keys.filter((key) => !isErased(key))).toEqual([]);
});
