import type { Clock } from "./clock.js";
import type { PlaceKeys } from "./strict/place-keys.js";

export type LocalSourceName = "microphone" | "camera" | "screen" | "screenSound";

/** What a connection reports to its owner. */
export interface MediaConnectionEvents {
  /** Something that `people` or `local` show has changed. */
  readonly onChange: () => void;
  /** The media server knows the device, and the worker encrypts, while media cannot flow yet. */
  readonly onJoined: () => void;
  /** True when the media library begins to reconnect by itself, false when it has succeeded. */
  readonly onInterrupted: (interrupted: boolean) => void;
  readonly onData: (sender: string, topic: string, packet: Uint8Array) => void;
  /** The service muted one of this person's own tracks. */
  readonly onMuted: (source: "microphone" | "camera") => void;
  /** This device may send from now on, so what could not be published can be. */
  readonly onMaySend: () => void;
  /** Another device has become able to receive data. */
  readonly onReachable: (identity: string) => void;
}

export interface MediaConnectionOptions extends MediaConnectionEvents {
  readonly createEncryptionWorker: () => Worker;
  readonly clock: Clock;
  /** The keys of a strict meeting's group; null in a standard meeting. */
  readonly group: PlaceKeys | null;
}
