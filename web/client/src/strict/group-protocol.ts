/**
 * What a device and the delivery service say to each other about the group of one media room
 * (docs/reference/meeting-protocol.md, "Strict rooms").
 */

export type { GroupPart, WaitingDevice } from "../wire.js";

export interface StatementAnswer {
  readonly statement: string;
  /** The key with which the service signs statements, base64url. */
  readonly service_key: string;
}

export interface CreatedGroup {
  readonly seq: number;
}

/**
 * What the author of a commit says of it, openly. The service cannot read commits, so that only the
 * devices can compare.
 */
export interface SaidCommit {
  /** A digest of the secrets of the epoch to which it leads, base64url. */
  readonly check: string;
  /** A digest of the link secret, base64url; null when the group has none. */
  readonly link: string | null;
  /** The devices that it adds, with the SHA-256 digests of their key packages, base64url. */
  readonly adds: readonly { readonly identity: string; readonly key_package: string }[];
  readonly removes: readonly string[];
}

export interface NewCommit extends SaidCommit {
  readonly group_id: string;
  /** The epoch in which the commit was made; it leads to the next. */
  readonly epoch: number;
  /** base64url. */
  readonly commit: string;
  /** base64url; null when nobody is added. */
  readonly welcome: string | null;
}

export interface AcceptedCommit {
  readonly epoch: number;
  readonly seq: number;
}

export interface GroupMessage extends SaidCommit {
  readonly seq: number;
  /** The epoch in which it was made; it leads to the next. */
  readonly epoch: number;
  readonly kind: "commit" | "welcome";
  /** base64url. */
  readonly message: string;
}

export interface GroupMessages {
  readonly data: readonly GroupMessage[];
  readonly has_more: boolean;
}

/** A device's word that it cannot be in a group. */
export interface GroupRefusal {
  readonly group_id: string;
  /** The number of the message that the device cannot accept; 0 when no message is the reason. */
  readonly seq: number;
}

/**
 * The requests that a device makes. Each rejects with a ServiceError: 409 `group_exists`,
 * 409 `epoch_taken`, 409 `place_changed`, 403 `not_in_group`, 404 `not_found` (not the group of this
 * place), 401 `ticket_invalid`.
 */
export interface GroupDelivery {
  readonly statement: (signatureKey: string) => Promise<StatementAnswer>;
  readonly sendKeyPackage: (keyPackage: string) => Promise<void>;
  readonly create: (groupId: string) => Promise<CreatedGroup>;
  /** Rejects at once when the signal aborts. The service may take the commit all the same. */
  readonly commit: (commit: NewCommit, signal: AbortSignal) => Promise<AcceptedCommit>;
  readonly messages: (groupId: string, after: number) => Promise<GroupMessages>;
  readonly refuse: (refusal: GroupRefusal) => Promise<void>;
}

/** What devices send each other when they can open what is sent with the keys of an epoch. */
export const epochTopic = "conclave.epoch";

export interface EpochAcknowledgement {
  readonly group_id: string;
  readonly epoch: number;
  /** Whether the sender asks for the receiver's acknowledgement, because earlier ones are lost. */
  readonly reply?: boolean;
}

/** Reads an acknowledgement of another device; null when the packet is not one. */
export function readAcknowledgement(packet: Uint8Array): EpochAcknowledgement | null {
  if (packet.byteLength > 512) return null;
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(packet));
    if (typeof value !== "object" || value === null) return null;
    const { group_id, epoch, reply } = value as Record<string, unknown>;
    if (typeof group_id !== "string" || typeof epoch !== "number") return null;
    return reply === true ? { group_id, epoch, reply } : { group_id, epoch };
  } catch {
    return null;
  }
}

/** LiveKit's frames name their key by one byte. */
export function keyIndex(epoch: number): number {
  return epoch % 256;
}
