/** Erasing the secrets of a state of a group. */
import type { ClientState } from "ts-mls";

/** Erases the secrets of a state, apart from those that `kept` shares, when this throws. */
export async function orErase<T>(
  state: ClientState,
  kept: ClientState | null,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    eraseState(state, kept);
    throw error;
  }
}

/** Erases the secrets of a state, apart from the private keys that it shares with another. */
export function eraseState(
  { keySchedule, secretTree, privatePath }: ClientState,
  kept: ClientState | null = null,
): void {
  for (const secret of Object.values(keySchedule) as Uint8Array[]) secret.fill(0);
  for (const { handshake, application } of secretTree) {
    for (const { secret, unusedGenerations } of [handshake, application]) {
      secret.fill(0);
      for (const key of Object.values(unusedGenerations)) key.fill(0);
    }
  }
  const shared = new Set(Object.values(kept?.privatePath.privateKeys ?? {}));
  for (const key of Object.values(privatePath.privateKeys)) if (!shared.has(key)) key.fill(0);
}
