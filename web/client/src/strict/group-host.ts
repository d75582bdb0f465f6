import type { Clock } from "../clock.js";
import type { EpochRef, SenderKeys } from "./epoch-keys.js";
import type { GroupDelivery } from "./group-protocol.js";
import { GroupSession } from "./group-session.js";
import { newSignatureKeys, type SignatureKeys } from "./mls-suite.js";
import type {
  FromGroupWorker,
  GroupWorkerStart,
  InstalledKeys,
  ToGroupWorker,
} from "./worker-messages.js";

export interface GroupHostOptions {
  readonly clock: Clock;
  readonly newDelivery: (start: GroupWorkerStart, place: string | null) => GroupDelivery;
  readonly tell: (message: FromGroupWorker) => void;
}

/**
 * The groups of one device, one for each place it is in, with one signature key for the whole call.
 * Its messages keep their order, although keys take a moment to import.
 */
export class GroupHost {
  readonly #options: GroupHostOptions;
  readonly #sessions = new Map<string | null, GroupSession>();
  #start: { readonly start: GroupWorkerStart; readonly keys: SignatureKeys } | null = null;
  #ahead = 0;
  #work: Promise<void> = Promise.resolve();
  #told: Promise<void> = Promise.resolve();

  constructor(options: GroupHostOptions) {
    this.#options = options;
  }

  /** Handles a message from the page when all earlier ones are handled. */
  take(message: ToGroupWorker): Promise<void> {
    this.#work = this.#work.then(() => this.#take(message));
    return this.#work;
  }

  async #take(message: ToGroupWorker): Promise<void> {
    switch (message.type) {
      case "start":
        this.#start = { start: message, keys: await newSignatureKeys() };
        break;
      case "enter":
        this.#enter(message.place);
        break;
      case "leave":
        this.#sessions.get(message.place)?.close();
        this.#sessions.delete(message.place);
        break;
      case "part":
        for (const session of this.#sessions.values()) session.update(message.part);
        break;
      case "time":
        this.#ahead = message.ahead;
        break;
      case "acknowledged": {
        const { place, identity, acknowledgement } = message;
        this.#sessions.get(place)?.acknowledged(identity, acknowledgement);
        break;
      }
      case "hurry":
        for (const session of this.#sessions.values()) session.hurry();
        break;
    }
  }

  #enter(place: string | null): void {
    if (!this.#start || this.#sessions.has(place)) return;
    const { start, keys } = this.#start;
    const { clock, newDelivery } = this.#options;
    const session = new GroupSession({
      delivery: newDelivery(start, place),
      clock,
      serviceNow: () => clock.now() + this.#ahead,
      me: start.me,
      room: start.room,
      place,
      signatureKeys: keys,
      linkSecret: start.linkSecret,
      events: {
        onInstall: (epoch, senders) => this.#install(place, epoch, senders),
        onAcknowledge: (acknowledgement) =>
          this.#tell({ place, type: "acknowledge", acknowledgement }),
        onSend: (epoch) => this.#tell({ place, type: "send", epoch }),
        onErase: (epoch) => this.#tell({ place, type: "erase", epoch }),
        onState: (state) => this.#tell({ place, type: "state", state }),
        onTrouble: (trouble) => this.#tell({ place, type: "trouble", trouble }),
      },
    });
    this.#sessions.set(place, session);
  }

  #install(place: string | null, epoch: EpochRef, senders: readonly SenderKeys[]): void {
    this.#told = this.#told.then(async () => {
      const keys = await Promise.all(senders.map(imported));
      this.#options.tell({ place, type: "install", epoch, senders: keys });
    });
  }

  #tell(message: FromGroupWorker): void {
    this.#told = this.#told.then(() => this.#options.tell(message));
  }
}

async function imported({ identity, media, data }: SenderKeys): Promise<InstalledKeys> {
  const [forMedia, forData] = await Promise.all([
    crypto.subtle.importKey("raw", media, "HKDF", false, ["deriveBits", "deriveKey"]),
    crypto.subtle.importKey("raw", data, "AES-GCM", false, ["encrypt", "decrypt"]),
  ]);
  media.fill(0);
  data.fill(0);
  return { identity, media: forMedia, data: forData };
}
