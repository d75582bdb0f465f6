import type { LocalMedia } from "./local-media.js";
import type { MediaPerson, Quality, VideoView } from "./roster.js";
import type { ScreenSource } from "./screen-capture.js";

interface Shown {
  readonly track: MediaStreamTrack;
  readonly view: VideoView;
}

type ShownMedia = Pick<LocalMedia, "microphone" | "camera">;

/** The person's own pictures, taken from this device's tracks and not from the media server. */
export class SelfView {
  readonly #identity: string;
  readonly #localMedia: ShownMedia;
  readonly #screen: ScreenSource;
  #shownCamera: Shown | null = null;
  #shownScreen: Shown | null = null;

  constructor(identity: string, localMedia: ShownMedia, screen: ScreenSource) {
    this.#identity = identity;
    this.#localMedia = localMedia;
    this.#screen = screen;
  }

  now({ speaking, quality }: { speaking: boolean; quality: Quality }): MediaPerson {
    const microphone = this.#localMedia.microphone.get();
    const camera = this.#localMedia.camera.get();
    const screen = this.#screen.capture.get();
    this.#shownCamera = shown(camera.on ? camera.track : null, this.#shownCamera);
    this.#shownScreen = shown(screen?.video ?? null, this.#shownScreen);
    return {
      identity: this.#identity,
      microphone: microphone.on && microphone.track !== null,
      camera: this.#shownCamera?.view ?? null,
      screen: this.#shownScreen?.view ?? null,
      speaking: speaking && microphone.on,
      quality,
      protection: "encrypted",
    };
  }
}

/** The same view as before while the track is the same. */
function shown(track: MediaStreamTrack | null, before: Shown | null): Shown | null {
  if (!track) return null;
  if (before?.track === track) return before;
  const attach = (element: HTMLVideoElement) => {
    element.srcObject = new MediaStream([track]);
    return () => {
      element.srcObject = null;
    };
  };
  return { track, view: { id: track.id, attach, paused: false } };
}
