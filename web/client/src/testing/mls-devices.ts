import { StatementMembership } from "../strict/membership.js";
import { type GroupRules, MlsGroup } from "../strict/mls-group.js";
import {
  newKeyPackage,
  newSignatureKeys,
  type OwnKeyPackage,
  type Refusal,
  readKeyPackage,
} from "../strict/mls-suite.js";
import { StatementVerifier } from "../strict/statement.js";
import { newStatementKey, signStatement } from "./played-delivery.js";

/** The id of the group that tests of groups make. */
export const groupId = new Uint8Array(16).fill(7);

const scope = { room: "room", meeting: "meeting", place: null };

/** Devices of one meeting, with statements of one service, for tests of their group. */
export async function mlsDevices() {
  const service = await newStatementKey();
  const verifier = StatementVerifier.of(service.publicKey);
  const membership = new StatementMembership(verifier, scope, () => 0);
  const rules: GroupRules = { membership, linkSecret: null };

  const device = async (
    identity: string,
    signer = service,
    said: Partial<Parameters<typeof signStatement>[2]> = {},
  ): Promise<OwnKeyPackage> => {
    const keys = await newSignatureKeys();
    return newKeyPackage(await signStatement(signer, keys.publicKey, { identity, ...said }), keys);
  };

  const offerOf = async (own: OwnKeyPackage) => {
    const offer = await readKeyPackage(own.bytes, membership);
    if (!offer) throw new Error("the key package is not valid");
    return offer;
  };

  /** Adds devices to a group, and returns their groups. */
  const addTo = async (groups: readonly MlsGroup[], names: readonly string[], more = rules) => {
    const [committer] = groups;
    if (!committer) throw new Error("nobody commits");
    const owns = await Promise.all(names.map((name) => device(name)));
    const offers = await Promise.all(owns.map(offerOf));
    const { commit, welcome } = await committer.commit(offers, []);
    committer.apply();
    for (const other of groups.slice(1)) await other.process(commit, null);
    const joined = await Promise.all(
      owns.map((own) => MlsGroup.join(groupId, welcome ?? new Uint8Array(), own, more, null)),
    );
    return [...groups, ...joined];
  };

  return { service, rules, membership, device, offerOf, addTo };
}

/** A secret of the group's epoch, to compare. */
export async function secretOf(group: MlsGroup): Promise<string> {
  return (await group.exportSecret("label", new Uint8Array([1]), 32)).join();
}

/** Why something was refused. */
export async function refusalOf(act: Promise<unknown>): Promise<string> {
  const error = await act.then(
    () => null,
    (caught: unknown) => caught as Refusal,
  );
  return error === null ? "none" : `${error.reason}: ${error.message}`;
}
