/** The messages between the page and the worker of a recording. */
import type { Scene } from "./scene.js";
import type { RecordingFormat } from "./support.js";
import type { UploadEnd } from "./uploader.js";

export interface WorkerStart {
  readonly type: "start";
  readonly format: RecordingFormat;
  readonly baseUrl: string;
  readonly id: string;
  readonly secret: string;
  readonly key: Uint8Array<ArrayBuffer>;
  /** Blocks of sound arrive here (see sound-worklet.ts). */
  readonly sound: MessagePort;
}

export type ToWorker = WorkerStart | ToStudio;

/** The messages to a worker that records. */
export type ToStudio =
  | { readonly type: "scene"; readonly scene: Scene }
  /** The frames of a picture, if the browser gives them as a stream. */
  | {
      readonly type: "stream";
      readonly picture: string;
      readonly frames: ReadableStream<VideoFrame>;
    }
  /** One frame of a picture, in answer to `frames`. */
  | { readonly type: "frame"; readonly picture: string; readonly frame: ImageBitmap }
  | { readonly type: "avatar"; readonly avatar: string; readonly image: ImageBitmap }
  /** The picture is no longer shown. */
  | { readonly type: "gone"; readonly picture: string }
  /** Recording ends; the rest is uploaded. */
  | { readonly type: "stop" }
  /** The network is back: try again at once. */
  | { readonly type: "hurry" };

/** Why a recording ended without being stopped on this device. */
export type WorkerFailure = "encoder" | "device_storage";

export type FromWorker =
  /** The first picture is being drawn. */
  | { readonly type: "started" }
  /** The page should send a frame of each picture that has no stream. */
  | { readonly type: "frames" }
  | { readonly type: "failed"; readonly failure: WorkerFailure }
  /** The service says that the recording has ended. */
  | { readonly type: "stopped" }
  /** Recording has ended, with this many parts. */
  | { readonly type: "cut"; readonly parts: number }
  | { readonly type: "stored"; readonly parts: number }
  /** Nothing could be sent for a while, or something was sent again. */
  | { readonly type: "stalled"; readonly isStalled: boolean }
  /** The upload is over. */
  | { readonly type: "end"; readonly end: UploadEnd };
