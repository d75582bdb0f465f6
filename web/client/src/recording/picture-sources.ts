import type { RecordableVideo } from "../recordable-media.js";
import type { ToWorker } from "./worker-messages.js";

/** A picture that the recording shows, and its size there. */
export interface WantedPicture {
  readonly video: RecordableVideo;
  readonly width: number;
  readonly height: number;
}

/** Gives a track's frames as a stream. Only some browsers have it, and their types differ. */
type TrackProcessor = new (init: {
  readonly track: MediaStreamTrack;
}) => {
  readonly readable: ReadableStream<VideoFrame>;
};
const { MediaStreamTrackProcessor } = globalThis as {
  readonly MediaStreamTrackProcessor?: TrackProcessor;
};

interface Source {
  readonly track: MediaStreamTrack;
  width: number;
  letGo: () => void;
  readonly close: () => void;
  /** For browsers without a stream of frames: sends one frame. */
  readonly grab: (() => void) | null;
  /** Kept here, because a browser may collect a processor that nothing refers to. */
  readonly processor?: InstanceType<TrackProcessor>;
}

type Send = (message: ToWorker, transfer: Transferable[]) => void;

/** Sends the frames of the shown pictures to the worker. */
export class PictureSources {
  readonly #send: Send;
  readonly #sources = new Map<string, Source>();

  constructor(send: Send) {
    this.#send = send;
  }

  /** Shows these pictures and no others. */
  set(wanted: ReadonlyMap<string, WantedPicture>): void {
    for (const [picture, source] of this.#sources) {
      if (wanted.get(picture)?.video.track !== source.track) this.#drop(picture, source);
    }
    for (const [picture, { video, width, height }] of wanted) {
      const source = this.#sources.get(picture) ?? this.#add(picture, video.track);
      if (source.width === width) continue;
      // Requests the new size before releasing the old one, so that the picture does not pause.
      const letGo = video.keep(width, height);
      source.letGo();
      source.letGo = letGo;
      source.width = width;
    }
  }

  /** Sends a frame of each picture that has no stream. */
  grab(): void {
    for (const { grab } of this.#sources.values()) grab?.();
  }

  close(): void {
    this.set(new Map());
  }

  #add(picture: string, track: MediaStreamTrack): Source {
    const parts = MediaStreamTrackProcessor
      ? this.#stream(picture, new MediaStreamTrackProcessor({ track }))
      : this.#element(picture, track);
    const source: Source = { track, width: 0, letGo: () => {}, ...parts };
    this.#sources.set(picture, source);
    return source;
  }

  #drop(picture: string, source: Source): void {
    this.#sources.delete(picture);
    source.letGo();
    source.close();
    this.#send({ type: "gone", picture }, []);
  }

  #stream(
    picture: string,
    processor: InstanceType<TrackProcessor>,
  ): Pick<Source, "close" | "grab" | "processor"> {
    const { readable } = processor;
    this.#send({ type: "stream", picture, frames: readable }, [readable]);
    return { close: () => {}, grab: null, processor };
  }

  #element(picture: string, track: MediaStreamTrack): Pick<Source, "close" | "grab"> {
    const video = document.createElement("video");
    video.muted = true;
    video.playsInline = true;
    video.srcObject = new MediaStream([track]);
    void video.play().catch(() => {});
    let isGrabbing = false;
    const grab = async () => {
      if (isGrabbing || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return;
      isGrabbing = true;
      try {
        const frame = await createImageBitmap(video);
        this.#send({ type: "frame", picture, frame }, [frame]);
      } catch {
        // The track has just ended, or changed its size; the next frame is due in a moment.
      } finally {
        isGrabbing = false;
      }
    };
    const close = () => {
      video.srcObject = null;
    };
    return { close, grab: () => void grab() };
  }
}
