import { ConnectionState, EngineEvent, type RemoteParticipant, type Room } from "livekit-client";
import { EarlyDecryptors, type Sender, type StreamingReceiver } from "./early-decryptors.js";
import { countFirstOffer, type Transport } from "./first-offer.js";

/** The transport that sends and receives, with the browser's connection in it. */
interface Publisher extends Transport {
  readonly pc: RTCPeerConnection;
}

/** Mends two faults of the pinned media library version that delay the first pictures. */
export function repairLibrary(room: Room, worker: Worker): void {
  const decryptors = new EarlyDecryptors(worker);
  // The library makes another transport when it connects anew by itself.
  room.engine.on(EngineEvent.SignalConnected, () => {
    const publisher = room.engine.pcManager?.publisher as unknown as Publisher | undefined;
    if (!publisher) return;
    countFirstOffer(publisher);
    const prepare = () => prepareAll(publisher.pc, decryptors);
    publisher.pc.addEventListener("signalingstatechange", prepare);
    prepare();
  });
  room.engine.on(EngineEvent.MediaTrackAdded, (_track, stream, given) => {
    if (!given) return;
    const receiver: StreamingReceiver = given;
    decryptors.prepare(receiver);
    // Once it is connected, the library tells the worker by itself.
    const sender = room.state === ConnectionState.Connected ? null : senderOf(room, stream);
    if (sender && receiver.createEncodedStreams) decryptors.assign(receiver, sender);
  });
}

function prepareAll(connection: RTCPeerConnection, decryptors: EarlyDecryptors): void {
  for (const { direction, receiver } of connection.getTransceivers()) {
    if (direction === "recvonly") decryptors.prepare(receiver);
  }
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
