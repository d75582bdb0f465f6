/**
 * The trace of an arrival: what happens on a device from the click on "Join now" until it draws
 * somebody's picture, and on the device that sends this picture. It watches the browser from
 * outside, and no other module imports it. A traced page loads `install` before its own scripts;
 * the interface that people get never does.
 */

/** The steps of a device that arrives, in the order in which they usually come. */
type ArrivingStep =
  | "clicked"
  | "seat asked"
  | "seat"
  | "token asked"
  | "token"
  | "gate asked"
  | "gate open"
  | "join response"
  | "connection made"
  | "ICE connected"
  | "DTLS connected"
  | "connected"
  | "track"
  | "first packet"
  | "decoded"
  | "drawn";

/** What interrupts a picture that is on its way. Each may come again. */
type RepeatedStep = "offered" | "negotiated" | "key frame asked" | "packets asked again";

/** The steps of the worker that decrypts. */
type DecryptorStep =
  | "key given"
  | "key set"
  | "decryptor ready"
  | "decryptor assigned"
  | "key frame there"
  | "other frame there"
  | "key frame opened"
  | "key frame dropped";

/** The steps of a device that sends. Key frames and requests for them come again. */
type SenderStep =
  | "camera ready"
  | "publishing"
  | "published"
  | "key frame encoded"
  | "told to send a key frame";

export type ArrivalStep = ArrivingStep | RepeatedStep | DecryptorStep | SenderStep;

export interface ArrivalNote {
  readonly step: ArrivalStep;
  /** In milliseconds since 1970, with a fraction, so that notes of two devices can be compared. */
  readonly at: number;
  /** More about it, such as the size of a picture. */
  readonly about?: string;
}

declare global {
  interface Window {
    /** What was noted on this page since it was opened. */
    arrival: readonly ArrivalNote[];
  }
}

/** Takes a note of something that happens now, unless a time is given. */
export type TakeNote = (step: ArrivalStep, about?: string, at?: number) => void;

export function now(): number {
  return performance.timeOrigin + performance.now();
}

export function newNote(step: ArrivalStep, about?: string, at = now()): ArrivalNote {
  return about === undefined ? { step, at } : { step, at, about };
}

/** The channel from a worker to its page, by the name that the page gave the worker. */
export function channelOf(workerName: string): string {
  return `arrival ${workerName}`;
}
