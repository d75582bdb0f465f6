import { EncryptedFile } from "@conclave/client/playback/encrypted-file";
import { ServiceError } from "@conclave/client/pre-join";
import { fromBase64Url } from "@conclave/client/recording/base64url";
import type { MemberService } from "@conclave/client/recording/member-service";
import type { MemberBrowser } from "@conclave/client/recording/own-device";
import { partKey } from "@conclave/client/recording/part-format";
import { codeOf } from "../../member/code-of";
import { isOver } from "../../member/is-over";
import type { Recording, RecordingsService } from "./recordings-service";

/** A recording that this device can open. */
export interface OpenRecording {
  readonly kind: "open";
  readonly file: EncryptedFile;
  /** The key, if the service does not have it. With it, this device can let in others. */
  readonly ownKey: Uint8Array<ArrayBuffer> | null;
}

export type Opening = OpenRecording | NotOpened;

export type NotOpened =
  /** End-to-end encrypted, and nobody has let this device in yet. */
  | { readonly kind: "shut-out" }
  /** End-to-end encrypted, and this device was revoked. */
  | { readonly kind: "revoked" }
  | { readonly kind: "refused"; readonly code: string };

/** What is needed to open recordings. */
export interface Keys {
  readonly recordings: RecordingsService;
  readonly member: MemberService;
  readonly browser: MemberBrowser;
}

/** Opens a recording with the key from the service, or with this device's own. */
export async function openRecording(recording: Recording, keys: Keys): Promise<Opening> {
  try {
    const given = await keys.recordings.key(recording.id);
    if (given.ok) return opened(recording, keys, fromBase64Url(given.value), false);
    if (given.code !== "recording_end_to_end") return { kind: "refused", code: given.code };
    const own = await keys.browser.openKey(recording.id);
    return own.kind === "open" ? opened(recording, keys, own.key, true) : own;
  } catch (error) {
    return { kind: "refused", code: codeOf(error) };
  }
}

async function opened(
  recording: Recording,
  { member, recordings }: Keys,
  key: Uint8Array<ArrayBuffer>,
  isOwnKey: boolean,
): Promise<OpenRecording> {
  const file = new EncryptedFile({
    id: recording.id,
    mimeType: recording.mime_type,
    parts: recording.parts,
    duration: recording.duration_ms / 1000,
    key: await partKey(key),
    fetchPiece: (piece, signal) => member.piece(recording.id, piece, signal),
    isThere: () => isThere(recording.id, recordings),
  });
  return { kind: "open", file, ownKey: isOwnKey ? key : null };
}

async function isThere(id: string, recordings: RecordingsService): Promise<boolean> {
  const outcome = await recordings.recording(id);
  if (outcome.ok) return true;
  if (outcome.code === "not_found" || isOver(outcome.code)) return false;
  throw new ServiceError(0, outcome.code, "", null);
}
