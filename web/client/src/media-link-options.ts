import type { Clock } from "./clock.js";
import type { MediaConnection } from "./media-connection.js";
import type { MediaConnectionEvents } from "./media-connection-options.js";
import type { Service } from "./service.js";
import type { Channel } from "./talk.js";
import type { MediaToken, Seat } from "./wire.js";

/** What the link uses of a connection. Tests have a fake one. */
export type Connection = Pick<MediaConnection, keyof MediaConnection>;

export interface MediaLinkOptions {
  readonly service: Service;
  readonly seat: Seat;
  readonly clock: Clock;
  /** The room that a token leads to. Rejects with OtherKeys. */
  readonly openChannel: (token: MediaToken) => Promise<Channel>;
  /** The device does not go to this room after all. */
  readonly onGivenUp: (place: string | null) => void;
  readonly newConnection: (channel: Channel, events: MediaConnectionEvents) => Connection;
  readonly onPhase: (phase: "connected" | "reconnecting") => void;
  readonly onEnd: (reason: LinkEnd) => void;
  readonly onChange: () => void;
  /** The device has left the old room and is in this one. It publishes nothing yet. */
  readonly onEntered: (channel: Channel) => void;
  /** The connection was interrupted, and works again. */
  readonly onBack: () => void;
  /** The device has lost its connection, and will connect again or not. */
  readonly onLeft: () => void;
  readonly onData: (channel: Channel, sender: string, topic: string, packet: Uint8Array) => void;
  readonly onMuted: (source: "microphone" | "camera") => void;
  /** Another device in the channel's room has become able to receive data. */
  readonly onReachable: (channel: Channel, identity: string) => void;
}

/** Why the link ends by itself. */
export type LinkEnd =
  | "elsewhere"
  | "refused"
  | "lost"
  | "removed"
  | "unsupported"
  | "worker_failed"
  | "downgraded";
