import { EngineEvent, type RemoteParticipant, type Room, RoomEvent } from "livekit-client";
import { AskedOffers, type OfferingTransport, type Requirement } from "./asked-offers.js";
import type { Clock } from "./clock.js";
import { EarlyDecryptors, type Sender } from "./early-decryptors.js";
import { countFirstOffer, type Transport } from "./first-offer.js";
import { sendPromptly } from "./prompt-data.js";
import { countSilentSenders, type SendingTransport } from "./silent-senders.js";

/** The transport that sends and receives, with the browser's connection in it. */
interface Publisher extends Transport, OfferingTransport, SendingTransport {
  readonly pc: RTCPeerConnection;
}

/**
 * Mends faults of the pinned media library version: four delay pictures, and two lose packets.
 * `sharesKey` says whether everybody in the room encrypts with the same key.
 */
export function repairLibrary(room: Room, worker: Worker, sharesKey: boolean, clock: Clock): void {
  const { engine } = room;
  const publisher = () => engine.pcManager?.publisher as unknown as Publisher | undefined;
  postponeNeedlessOffers(room, publisher, clock);
  sendPromptly(room, clock);
  // The library makes another transport when it connects again by itself.
  engine.on(EngineEvent.SignalConnected, () => {
    const transport = publisher();
    if (!transport) return;
    countFirstOffer(transport);
    countSilentSenders(transport);
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
  // The library makes another connection when it connects again by itself.
  engine.on(EngineEvent.SignalRestarted, prepareAll);
  // Before the library, which would find somebody else's frames where it looks for this sender's.
  engine.prependListener(EngineEvent.MediaTrackAdded, (_track, stream, receiver) => {
    const sender = senderOf(room, stream);
    if (!receiver || !sender) return;
    decryptors.prepare(receiver, holder());
    decryptors.assign(receiver, sender);
  });
}

/** Lets an offer that the media server asks for wait where nothing that is known needs it. */
function postponeNeedlessOffers(
  room: Room,
  publisher: () => Publisher | undefined,
  clock: Clock,
): void {
  const { engine } = room;
  const offers = new AskedOffers(clock, () => wantedTracks(room));
  const listen = () => {
    const { client } = engine;
    const offerNow = client.onMediaSectionsRequirement?.bind(client);
    client.onMediaSectionsRequirement = (requirement) => {
      const transport = publisher();
      const ask = () => offerNow?.(requirement);
      if (!transport || asksForSections(requirement)) ask();
      else offers.postpone(transport, ask);
    };
  };
  // The library listens anew each time that it joins or resumes.
  engine.on(EngineEvent.SignalConnected, listen).on(EngineEvent.SignalResumed, listen);
  engine.on(EngineEvent.SignalConnected, () => {
    publisher()?.pc.addEventListener("signalingstatechange", () => offers.check());
  });
  // After the room, which learns of new tracks from the same event.
  engine.on(EngineEvent.ParticipantUpdate, () => offers.check());
  engine.on(EngineEvent.Restarting, () => offers.close());
  room.on(RoomEvent.Disconnected, () => offers.close());
}

function asksForSections({ numAudios, numVideos }: Requirement): boolean {
  return numAudios + numVideos > 0;
}

/** The tracks of others that this device is to receive. */
function wantedTracks({ remoteParticipants }: Room): readonly string[] {
  return [...remoteParticipants.values()]
    .flatMap(({ trackPublications }) => [...trackPublications.values()])
    .filter(({ isDesired }) => isDesired)
    .map(({ trackSid }) => trackSid);
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
