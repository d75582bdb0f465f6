import { type RemoteParticipant, type RemoteTrackPublication, Track } from "livekit-client";
import { type Clock, pause } from "./clock.js";

/** How often the tracks are looked at, in milliseconds. */
const askEvery = 50;
/** How long after its first packet a picture is decoded, in milliseconds. */
const decoding = 100;
/** The longest wait, in milliseconds: people who have just clicked do not speak sooner. */
const longest = 600;

/**
 * Waits until a picture of one of these people should be decoded, but not long. Null if nobody sends
 * pictures. The signal ends the waiting.
 */
export function firstPicture(
  people: Iterable<RemoteParticipant>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> | null {
  const coming = [...people]
    .flatMap(({ trackPublications }) => [...trackPublications.values()])
    .filter(({ kind, isDesired, isMuted }) => kind === Track.Kind.Video && isDesired && !isMuted);
  if (coming.length === 0) return null;
  const over = new AbortController();
  const end = () => over.abort();
  const cancel = clock.after(longest, end);
  signal.addEventListener("abort", end);
  return untilShown(coming, clock, over.signal).finally(() => {
    cancel();
    signal.removeEventListener("abort", end);
  });
}

async function untilShown(
  publications: readonly RemoteTrackPublication[],
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    // A track is muted until its first packet has arrived.
    if (publications.some(({ track }) => track && !track.mediaStreamTrack.muted)) {
      await pause(clock, decoding, signal);
      return;
    }
    await pause(clock, askEvery, signal);
  }
}
