/**
 * LiveKit's client library, used as in its documentation, on an origin of its own, with the API's
 * answer for one person. This page has none of our code.
 */
import { ConnectionError, ExternalE2EEKeyProvider, Room, RoomEvent, Track } from "livekit-client";
import EncryptionWorker from "livekit-client/e2ee-worker?worker";

declare global {
  interface Window {
    enterStock: (given: StockCredentials) => Promise<string>;
    /** The HTTP status with which the service refused the connection; null if it did not. */
    refusedStock: (given: StockCredentials) => Promise<number | null>;
    /**
     * Milliseconds from entering to the first decoded frame of another person; null before that.
     */
    firstFrame: number | null;
    stockErrors: string[];
    /** Publishes the microphone this many times more. */
    publishAgain: (times: number) => Promise<void>;
    /** Switches the microphone off and on this many times, as fast as possible; it ends up off. */
    flicker: (times: number) => Promise<void>;
    /** What the client believes of its microphone, or of its camera. */
    isMuted: (source?: "camera") => boolean | undefined;
    /** Switches the microphone, or the camera, off or on. */
    mute: (muted: boolean, source?: "camera") => Promise<void>;
  }
}

export interface StockCredentials {
  readonly server_url: string;
  readonly token: string;
  readonly e2ee_passphrase: string;
}

window.firstFrame = null;
window.stockErrors = [];

window.enterStock = async ({ server_url, token, e2ee_passphrase }) => {
  const began = performance.now();
  const keyProvider = new ExternalE2EEKeyProvider();
  const room = new Room({ encryption: { keyProvider, worker: new EncryptionWorker() } });
  room.on(RoomEvent.EncryptionError, (error) => window.stockErrors.push(error.message));
  room.on(RoomEvent.TrackSubscribed, (track) => {
    if (track.kind !== Track.Kind.Video) return;
    const video = document.querySelector("video");
    if (!video) return;
    video.requestVideoFrameCallback(() => {
      window.firstFrame ??= performance.now() - began;
    });
    track.attach(video);
  });
  await keyProvider.setKey(e2ee_passphrase);
  await room.setE2EEEnabled(true);
  await room.connect(server_url, token);
  await room.localParticipant.enableCameraAndMicrophone();
  window.publishAgain = async (times) => {
    const source = Track.Source.Microphone;
    const microphone = room.localParticipant.getTrackPublication(source)?.track;
    for (let time = 0; time < times && microphone; time += 1) {
      const copy = microphone.mediaStreamTrack.clone();
      await room.localParticipant.publishTrack(copy, { source, dtx: false });
    }
  };
  window.flicker = async (times) => {
    const microphone = room.localParticipant.getTrackPublication(Track.Source.Microphone);
    for (let time = 0; time < times; time += 1) {
      await microphone?.unmute();
      await microphone?.mute();
    }
  };
  const published = (source?: "camera") =>
    room.localParticipant.getTrackPublication(
      source === "camera" ? Track.Source.Camera : Track.Source.Microphone,
    );
  window.isMuted = (source) => published(source)?.isMuted;
  window.mute = async (muted, source) => {
    await (muted ? published(source)?.mute() : published(source)?.unmute());
  };
  return room.localParticipant.identity;
};

window.refusedStock = async (given) => {
  try {
    await window.enterStock(given);
    return null;
  } catch (error) {
    if (error instanceof ConnectionError && error.status !== undefined) return error.status;
    throw error;
  }
};
