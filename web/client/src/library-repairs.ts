import { EngineEvent, type Room } from "livekit-client";
import { keepEarlyFrames, type StreamingReceiver } from "./early-frames.js";
import { countFirstOffer, type Transport } from "./first-offer.js";

/** Sets right what delays first pictures in the media library's version that is pinned here. */
export function repairLibrary(room: Room): void {
  // Also when the library connects anew by itself, with another transport.
  room.engine.on(EngineEvent.SignalConnected, () => {
    const transport: unknown = room.engine.pcManager?.publisher;
    if (transport) countFirstOffer(transport as Transport);
  });
  room.engine.on(EngineEvent.MediaTrackAdded, (_track, _stream, receiver) => {
    if (receiver) keepEarlyFrames(receiver as StreamingReceiver);
  });
}
