import { EngineEvent, type Room } from "livekit-client";
import type { Clock } from "./clock.js";

/** What the media library's engine keeps about packets that must arrive. */
export interface DataEngine {
  readonly dataChannels: {
    readonly reliable: {
      /** Whether packets wait until the connection has been resumed. */
      isDeferringSends: () => boolean;
      /** Sends the packets again that came after this number, and those that waited. */
      readonly replay: (after: number) => Promise<void>;
    };
  };
  /** Settled when the channel was open. */
  publisherConnectionPromise: Promise<void> | undefined;
}

/**
 * Mends two faults of the pinned media library version that lose packets. While it connects again,
 * it keeps packets for the moment in which the old connection is resumed. But it never sends what it
 * kept when it makes a new connection instead, for whose first two seconds it keeps packets as well.
 * And after a resumption it sends what it kept only if the media server had got a packet before.
 */
export function sendPromptly(room: Room, clock: Clock): void {
  const { engine } = room;
  const data = engine as unknown as DataEngine;
  const { reliable } = data.dataChannels;
  const isDeferring = reliable.isDeferringSends;
  /** Whether the library has a new connection, and is not connecting again since. */
  let isAnew = false;
  reliable.isDeferringSends = () => !isAnew && isDeferring();
  const interrupted = () => {
    isAnew = false;
  };
  engine.on(EngineEvent.Resuming, interrupted).on(EngineEvent.Restarting, interrupted);
  engine.on(EngineEvent.SignalRestarted, () => {
    isAnew = true;
    data.publisherConnectionPromise = undefined; // it was about the channel before
  });
  engine.on(EngineEvent.Resumed, () => {
    // Then nothing waits any more. Receivers drop what they get twice by its number.
    clock.after(0, () => void reliable.replay(0).catch(() => {}));
  });
}
