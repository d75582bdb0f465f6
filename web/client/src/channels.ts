import type { Clock } from "./clock.js";
import { EncryptionUnsupported } from "./encryption-worker.js";
import { passphraseEnvelopes } from "./envelope.js";
import { type Observable, Value } from "./observable.js";
import type { GroupView } from "./strict/group-view.js";
import { Groups, type GroupsOptions } from "./strict/groups.js";
import type { Channel } from "./talk.js";
import type { MediaToken, RoomInfo, Seat } from "./wire.js";

/**
 * The service offers other keys than the meeting began with. `downgraded`: a strict meeting would
 * become a standard one, whose keys the service knows. `refused`: the other way round.
 */
export class OtherKeys extends Error {
  readonly reason: "downgraded" | "refused";

  constructor(reason: "downgraded" | "refused") {
    super("The service offers other keys than the meeting began with.");
    this.name = "OtherKeys";
    this.reason = reason;
  }
}

/** Whether the browser has the algorithms of the groups' cipher suite. */
async function areGroupsSupported(): Promise<boolean> {
  try {
    await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
    await crypto.subtle.generateKey("X25519", false, ["deriveBits"]);
    return true;
  } catch {
    return false;
  }
}

export interface ChannelsOptions extends Omit<GroupsOptions, "me" | "ticket"> {
  readonly seat: Seat;
  /** The room, if it is known already. */
  readonly room: RoomInfo | null;
  readonly clock: Clock;
}

/**
 * The rooms that the device is in one after the other, with their keys. A meeting that began as a
 * strict one, or by a link with a secret, takes no passphrase, whatever the service says.
 */
export class Channels {
  readonly groups: Groups | null;
  readonly group: Observable<GroupView | null>;

  constructor({ seat, room, ...options }: ChannelsOptions) {
    // A link has a secret only if its room is strict: a service that says otherwise is not believed.
    // And without a passphrase there is no other way to have keys.
    const isStrict =
      room?.encryption === "strict" || options.linkSecret !== null || !seat.e2ee_passphrase;
    const { identity: me, ticket } = seat;
    this.groups = isStrict ? new Groups({ ...options, me, ticket }) : null;
    this.group = this.groups?.view ?? new Value(null);
    if (room) this.groups?.start(room.id);
  }

  /**
   * Opens the channel of the room that a token leads to. Rejects with OtherKeys, or with
   * EncryptionUnsupported when the browser lacks what the keys of strict meetings need.
   */
  readonly open = async (token: MediaToken): Promise<Channel> => {
    const place = token.breakout_id ?? null;
    const { e2ee_passphrase } = token;
    if (this.groups) {
      if (e2ee_passphrase) throw new OtherKeys("downgraded");
      if (!(await areGroupsSupported())) throw new EncryptionUnsupported();
      const group = this.groups.enter(place);
      return { place, envelopes: group, group };
    }
    if (!e2ee_passphrase) throw new OtherKeys("refused");
    return { place, envelopes: await passphraseEnvelopes(e2ee_passphrase), group: null };
  };

  /** Takes the room from the event stream. False when it would make a strict meeting standard. */
  takeRoom(room: RoomInfo): boolean {
    this.groups?.start(room.id);
    return this.groups === null || room.encryption === "strict";
  }
}
