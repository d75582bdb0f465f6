import type { Clock } from "./clock.js";

/** What the media server asks of the next offer: that many more sections for media. */
export interface Requirement {
  readonly numAudios: number;
  readonly numVideos: number;
}

/** What the media library calls the transport of a connection, as far as it matters here. */
export interface OfferingTransport {
  readonly pc: Pick<RTCPeerConnection, "signalingState" | "remoteDescription">;
  /** Counts the offers that were made. */
  readonly latestOfferId: number;
  readonly pendingInitialOffer?: unknown;
  /** Whether it makes another offer by itself as soon as the last one is answered. */
  readonly renegotiate: boolean;
}

/** For how long an offer waits that seems to be needless, in milliseconds. */
const longest = 500;

/** An offer that the media server has asked for. */
interface Asked {
  readonly transport: OfferingTransport;
  readonly madeBefore: number;
  readonly makeOffer: () => void;
  readonly cancel: () => void;
}

/**
 * Keeps back an offer that the media server asks for while every track that is known has been
 * negotiated. LiveKit 1.13 asks once more for tracks that its answer already had. An offer delays
 * the next one until it is answered, so publishing would wait for it. The one that publishes serves
 * both, and one that the media server really needs is made when the track is announced, or after
 * half a second.
 */
export class AskedOffers {
  readonly #clock: Clock;
  readonly #wantedTracks: () => readonly string[];
  #asked: Asked | null = null;

  /** `wantedTracks` lists the ids of the tracks that this device receives. */
  constructor(clock: Clock, wantedTracks: () => readonly string[]) {
    this.#clock = clock;
    this.#wantedTracks = wantedTracks;
  }

  postpone(transport: OfferingTransport, makeOffer: () => void): void {
    this.close();
    const cancel = this.#clock.after(longest, () => this.#make());
    this.#asked = { transport, madeBefore: transport.latestOfferId, makeOffer, cancel };
    this.check();
  }

  /** Decides anew, after a track was announced or a negotiation went on. */
  check(): void {
    if (!this.#asked) return;
    const { transport } = this.#asked;
    if (isSettled(transport) && this.#lacks(transport)) this.#make();
  }

  /** Forgets what was asked for. */
  close(): void {
    this.#asked?.cancel();
    this.#asked = null;
  }

  /** Makes the offer, unless another one was made since it was asked for. */
  #make(): void {
    const asked = this.#asked;
    this.close();
    if (asked && asked.transport.latestOfferId === asked.madeBefore) asked.makeOffer();
  }

  /** The media server's description names each track that it sends. */
  #lacks({ pc }: OfferingTransport): boolean {
    const negotiated = pc.remoteDescription?.sdp ?? "";
    return this.#wantedTracks().some((track) => !negotiated.includes(track));
  }
}

/** Whether every offer is answered, the answer applied, and no other offer about to be made. */
function isSettled({ pc, pendingInitialOffer, renegotiate }: OfferingTransport): boolean {
  const isOpen = pc.signalingState !== "stable" || Boolean(pendingInitialOffer) || renegotiate;
  return pc.remoteDescription !== null && !isOpen;
}
