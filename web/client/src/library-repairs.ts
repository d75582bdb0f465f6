import { EngineEvent, type Room } from "livekit-client";
import { keepEarlyFrames, type StreamingReceiver } from "./early-frames.js";
import { countFirstOffer, type Transport } from "./first-offer.js";

/** Mends two faults of the pinned media library version that delay the first pictures. */
export function repairLibrary(room: Room): void {
  // The library makes another transport when it connects anew by itself.
  room.engine.on(EngineEvent.SignalConnected, () => {
    const transport: unknown = room.engine.pcManager?.publisher;
    if (transport) countFirstOffer(transport as Transport);
  });
  room.engine.on(EngineEvent.MediaTrackAdded, (_track, _stream, receiver) => {
    if (receiver) keepEarlyFrames(receiver as StreamingReceiver);
  });
}
