import type { GroupDelivery } from "./group-protocol.js";
import { isRefused } from "./refused.js";

interface Taken {
  readonly seq: number;
  /** base64url. */
  readonly message: string;
}

/**
 * The message that brought a device into its epoch. After a failover or a restored backup the
 * service may have lost it, and may have taken another one of that number since.
 */
export class NewestMessage {
  readonly #delivery: Pick<GroupDelivery, "messages">;
  /** Null in a group that is as this device made it. */
  #taken: Taken | null = null;
  #isDoubtful = false;

  constructor(delivery: Pick<GroupDelivery, "messages">) {
    this.#delivery = delivery;
  }

  /** Whether the service may have lost it. */
  get isDoubtful(): boolean {
    return this.#isDoubtful;
  }

  doubt(): void {
    this.#isDoubtful = this.#taken !== null;
  }

  set(taken: Taken | null): void {
    this.#taken = taken;
    this.#isDoubtful = false;
  }

  /** Asks whether the service still has it. */
  async isKept(groupId: string): Promise<boolean> {
    const taken = this.#taken;
    if (!taken) return true;
    let isKept = false;
    try {
      const { data } = await this.#delivery.messages(groupId, taken.seq - 1);
      isKept = data.some(({ seq, message }) => seq === taken.seq && message === taken.message);
    } catch (error) {
      if (!isRefused(error, "not_found")) throw error;
    }
    if (this.#taken === taken) this.#isDoubtful = false;
    return isKept;
  }
}
