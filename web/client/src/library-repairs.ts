import { EngineEvent, type RemoteParticipant, type Room, RoomEvent } from "livekit-client";
import { EarlyDecryptors, type Sender } from "./early-decryptors.js";
import { countFirstOffer, type Transport } from "./first-offer.js";

/** The transport that sends and receives, with the browser's connection in it. */
interface Publisher extends Transport {
  readonly pc: RTCPeerConnection;
}

/**
 * Mends two faults of the pinned media library version that delay the first pictures. `sharesKey`
 * says whether everybody in the room encrypts with the same key.
 */
export function repairLibrary(room: Room, worker: Worker, sharesKey: boolean): void {
  const { engine } = room;
  const publisher = () => engine.pcManager?.publisher as unknown as Publisher | undefined;
  // The library makes another transport when it connects anew by itself.
  engine.on(EngineEvent.SignalConnected, () => {
    const transport = publisher();
    if (transport) countFirstOffer(transport);
  });

  const decryptors = new EarlyDecryptors(worker);
  const holder = () => (sharesKey ? room.localParticipant.identity : null);
  const prepareAll = () => {
    const { pc } = publisher() ?? {};
    if (!pc) return;
    const prepare = () => {
      for (const { direction, receiver } of pc.getTransceivers()) {
        if (direction === "recvonly") decryptors.prepare(receiver, holder());
      }
    };
    pc.addEventListener("signalingstatechange", prepare);
    prepare();
  };
  room.on(RoomEvent.SignalConnected, prepareAll);
  // The library makes another connection when it connects anew by itself.
  engine.on(EngineEvent.SignalRestarted, prepareAll);
  // Before the library, which would find somebody else's frames where it looks for this sender's.
  engine.prependListener(EngineEvent.MediaTrackAdded, (_track, stream, receiver) => {
    const sender = senderOf(room, stream);
    if (!receiver || !sender) return;
    decryptors.prepare(receiver, holder());
    decryptors.assign(receiver, sender);
  });
}

/** Whose stream it is. The media server puts the ids of the sender and of the track in its name. */
function senderOf(room: Room, { id }: MediaStream): Sender | null {
  const [participantSid, trackSid = ""] = id.split("|");
  const isSender = ({ sid }: RemoteParticipant) => sid === participantSid;
  const participant = [...room.remoteParticipants.values()].find(isSender);
  const publication = participant?.trackPublications.get(trackSid);
  if (!participant || !publication) return null;
  return { identity: participant.identity, isEncrypted: publication.isEncrypted };
}
