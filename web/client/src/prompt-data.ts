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
      /** Forgets what waits, and counts anew. */
      readonly reset: () => void;
    };
  };
  /** Settles when the channel opens, or does not open in time. */
  publisherConnectionPromise: Promise<void> | undefined;
}

/**
 * Mends two faults of the pinned media library version that lose packets. While it connects again,
 * it keeps packets for the moment in which the old connection is resumed. When it makes a new
 * connection instead, it never sends what it kept, and it keeps the packets of that connection's
 * first two seconds as well. And after a resumption it sends what it kept only if the media server
 * had got a packet before.
 */
export function sendPromptly(room: Room, clock: Clock): void {
  const { engine } = room;
  const data = engine as unknown as DataEngine;
  const { reliable } = data.dataChannels;
  const isDeferring = reliable.isDeferringSends;
  /** Whether the library made a new connection, and has not begun to connect again. */
  let hasNewConnection = false;
  /** Whether a resumption has succeeded, and what was kept is not sent yet. */
  let isToReplay = false;
  reliable.isDeferringSends = () => isToReplay || (!hasNewConnection && isDeferring());
  const interrupted = () => {
    hasNewConnection = false;
    isToReplay = false;
  };
  engine.on(EngineEvent.Resuming, interrupted).on(EngineEvent.Restarting, interrupted);
  engine.on(EngineEvent.SignalRestarted, () => {
    hasNewConnection = true;
    reliable.reset(); // or the first packet that is kept would keep all that follow
    data.publisherConnectionPromise = undefined; // it was about the channel before
  });
  engine.on(EngineEvent.Resumed, () => {
    isToReplay = true;
    clock.after(0, () => {
      if (!isToReplay) return;
      // The library keeps nothing more by then. What is sent from now on follows the replay.
      // Receivers drop what they get twice by its number.
      isToReplay = false;
      void reliable.replay(0).catch(() => {});
    });
  });
}
