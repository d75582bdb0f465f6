import type { EpochRef } from "../strict/epoch-keys.js";
import { keyIndex } from "../strict/group-protocol.js";
import type { InstalledKeys } from "../strict/worker-messages.js";

export function epochRef(groupId: string, epoch: number): EpochRef {
  return { groupId, epoch, index: keyIndex(epoch) };
}

/** New keys for these senders, as the worker of the groups tells them. */
export function newKeys(...identities: readonly string[]): Promise<readonly InstalledKeys[]> {
  return Promise.all(
    identities.map(async (identity) => {
      const [media, data] = [0, 1].map(() => crypto.getRandomValues(new Uint8Array(32)));
      return {
        identity,
        media: await imported(media, "HKDF", ["deriveBits", "deriveKey"]),
        data: await imported(data, "AES-GCM", ["encrypt", "decrypt"]),
      };
    }),
  );
}

function imported(
  bytes: Uint8Array<ArrayBuffer> | undefined,
  algorithm: string,
  uses: KeyUsage[],
): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytes ?? new Uint8Array(32), algorithm, false, uses);
}
