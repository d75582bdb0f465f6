import { toBase64Url } from "../recording/base64url.js";
import type { Role } from "../wire.js";
import type { SenderKeys } from "./epoch-keys.js";
import type { MemberLeaf } from "./group-moves.js";
import type { StatementMembership } from "./membership.js";
import type { MlsGroup } from "./mls-group.js";
import { deviceFingerprint, type VerificationCode, verificationCode } from "./verification.js";

/** A device in the group, as its statement names it. */
export interface GroupMember {
  readonly identity: string;
  readonly name: string;
  readonly role: Role;
  readonly fingerprint: readonly string[];
}

/** The group in one epoch. */
export interface GroupState {
  /** base64url. */
  readonly groupId: string;
  readonly epoch: number;
  readonly members: readonly GroupMember[];
  readonly code: VerificationCode;
}

/**
 * What keeps this device from its group. `refused`: it was sent something that it does not accept.
 * `link_secret`: the link of this device has another link secret than the group, or none. `lost`: it
 * could not follow the group. `not_added`: nobody adds it. `statement`: the service gave a statement
 * that is not valid. `service`: the service refuses a request. `over`: the seat is over. `worker`:
 * the worker of the groups has stopped.
 */
export interface GroupTrouble {
  readonly reason:
    | "refused"
    | "link_secret"
    | "lost"
    | "not_added"
    | "statement"
    | "service"
    | "over"
    | "worker";
  readonly detail: string;
}

const keyLength = 32;
const mediaLabel = "conclave media v1";
const dataLabel = "conclave data v1";
const encoder = new TextEncoder();

/** Who is in the group, and the code that they compare. */
export async function stateOf(
  groupId: string,
  group: MlsGroup,
  membership: StatementMembership,
): Promise<GroupState> {
  const members = await Promise.all(
    group.leaves.map(async ({ credential, signatureKey }): Promise<GroupMember> => {
      const statement = membership.statementOf(credential);
      const { identity = "", name = "", role = "participant" } = statement ?? {};
      const fingerprint = await deviceFingerprint(identity, signatureKey);
      return { identity, name, role, fingerprint };
    }),
  );
  const code = await verificationCode(group.authenticator);
  return { groupId, epoch: group.epoch, members, code };
}

/** The members' leaves, as decisions see them. */
export function leavesOf(
  group: MlsGroup,
  membership: StatementMembership | null,
): readonly MemberLeaf[] {
  return group.leaves.map(({ index, credential, signatureKey }) => ({
    index,
    identity: membership?.identityOf(credential) ?? "",
    signatureKey: toBase64Url(signatureKey),
  }));
}

/** The keys of each member in the group's epoch. */
export function sendersOf(
  group: MlsGroup,
  membership: StatementMembership,
): Promise<readonly SenderKeys[]> {
  return Promise.all(
    group.leaves.map(async ({ credential }) => {
      const identity = membership.identityOf(credential) ?? "";
      const context = encoder.encode(identity);
      const [media, data] = await Promise.all([
        group.exportSecret(mediaLabel, context, keyLength),
        group.exportSecret(dataLabel, context, keyLength),
      ]);
      return { identity, media: new Uint8Array(media), data: new Uint8Array(data) };
    }),
  );
}
