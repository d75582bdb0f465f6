import type { KeyValueStore, LookUp } from "@conclave/client/pre-join";

export interface Visitor {
  readonly name: string;
  readonly avatar: string | null;
}

const nameKey = "conclave.name";
const avatarKey = "conclave.avatar";

/** The name and avatar that were last used on this device. */
export class LastVisitor {
  readonly #store: KeyValueStore;

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  get(): Visitor {
    return {
      name: this.#store.getItem(nameKey) ?? "",
      avatar: this.#store.getItem(avatarKey),
    };
  }

  remember({ name, avatar }: Visitor, lookUp: LookUp): void {
    // An account's name is not a default for the next person at this device.
    if (!lookUp.signed_in) this.#store.setItem(nameKey, name);
    if (avatar === null) this.#store.removeItem(avatarKey);
    else this.#store.setItem(avatarKey, avatar);
  }
}
