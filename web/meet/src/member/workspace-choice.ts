import type { KeyValueStore } from "@conclave/client/pre-join";

export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly personal: boolean;
}

const key = "conclave.workspace";

/** The workspace chosen last on this device, or else the first one that is not personal. */
export function chosenWorkspace<W extends Workspace>(
  workspaces: readonly W[],
  store: KeyValueStore,
): W | null {
  const chosen = store.getItem(key);
  return (
    workspaces.find(({ id }) => id === chosen) ??
    workspaces.find(({ personal }) => !personal) ??
    workspaces[0] ??
    null
  );
}

export function rememberWorkspace(id: string, store: KeyValueStore): void {
  store.setItem(key, id);
}
