import type { LocalMedia, LocalSource, SourceKind } from "./local-media.js";
import type { MediaLink } from "./media-link.js";
import type { NoticeKind } from "./notices.js";
import type { Observable } from "./observable.js";
import { ownVideo, type RecordableMedia } from "./recordable-media.js";
import type { MediaPerson, Quality } from "./roster.js";
import type { ScreenSource } from "./screen-capture.js";
import { SelfView } from "./self-view.js";
import type { You } from "./wire.js";

/** The part of LocalMedia that OwnMedia uses. Tests have a fake. */
export type ChosenMedia = Pick<
  LocalMedia,
  "microphone" | "camera" | "devices" | "chosen" | "setMicrophone" | "setCamera" | "close"
>;

export interface OwnMediaOptions {
  readonly identity: string;
  readonly localMedia: ChosenMedia;
  readonly screen: ScreenSource;
  /** The connection to the room that the device is in. */
  readonly link: Pick<MediaLink, "publish" | "setSpeaker">;
  readonly onChange: () => void;
}

/**
 * The person's own microphone, camera and screen, published as they choose and as far as they are
 * allowed to.
 */
export class OwnMedia {
  readonly #options: OwnMediaOptions;
  readonly #view: SelfView;
  readonly #undo: (() => void)[] = [];
  /** Null until the service says it; until then the media server alone decides. */
  #may: You["may"] | null = null;

  constructor(options: OwnMediaOptions) {
    this.#options = options;
    const { identity, localMedia, screen, link } = options;
    this.#view = new SelfView(identity, localMedia, screen);
    this.#follow(localMedia.microphone, (state) => this.#publish("microphone", state));
    this.#follow(localMedia.camera, (state) => this.#publish("camera", state));
    this.#follow(screen.capture, (capture) => {
      link.publish("screen", capture !== null, capture?.video ?? null);
      link.publish("screenSound", Boolean(capture?.audio), capture?.audio ?? null);
    });
    const speaker = localMedia.chosen("speaker");
    this.#follow(speaker, (id) => link.setSpeaker(id));
    // The media library takes another speaker when this one is unplugged, and stays with that.
    let isThere = false;
    this.#follow(localMedia.devices, ({ speaker: listed }) => {
      const wasThere = isThere;
      isThere = listed.some(({ id }) => id === speaker.get());
      if (isThere && !wasThere) link.setSpeaker(speaker.get());
    });
  }

  /** The person's own entry among the people, with what only the connection knows. */
  view(heard: { readonly speaking: boolean; readonly quality: Quality }): MediaPerson {
    return this.#view.now(heard);
  }

  /** The person's own media for a recording: what the others receive. */
  recordable(): RecordableMedia {
    const { localMedia, screen } = this.#options;
    const [microphone, camera] = [localMedia.microphone.get(), localMedia.camera.get()];
    const capture = screen.capture.get();
    const sounds = [microphone.on ? microphone.track : null, capture?.audio ?? null];
    return {
      camera: ownVideo(camera.on ? camera.track : null),
      screen: ownVideo(capture?.video ?? null),
      sounds: sounds.filter((track) => track !== null),
    };
  }

  /**
   * Stops a source when the person loses the right to it, before the media server does. A right
   * that they get switches nothing on.
   */
  apply({ may }: Pick<You, "may">, news: readonly NoticeKind[]): void {
    this.#may = may;
    if (!may.screen_share) this.#options.screen.stop();
    // What a host stopped during an interruption is still off when the media is back.
    if (!may.microphone || news.includes("muted_by_host")) this.stop("microphone");
    if (!may.camera || news.includes("camera_stopped")) this.stop("camera");
  }

  stop(source: SourceKind): void {
    const { localMedia } = this.#options;
    void (source === "microphone" ? localMedia.setMicrophone(false) : localMedia.setCamera(false));
  }

  /** Releases all sources, for good. */
  close(): void {
    for (const undo of this.#undo) undo();
    this.#options.screen.close();
    this.#options.localMedia.close();
  }

  /** Publishes nothing without the right to it. Otherwise others would hear or see it as soon as the person gets the right. */
  #publish(source: SourceKind, { on, track }: LocalSource): void {
    const isAllowed = this.#may?.[source] ?? true;
    this.#options.link.publish(source, on && isAllowed, track);
    if (on && !isAllowed) this.stop(source);
  }

  #follow<T>(observable: Observable<T>, act: (value: T) => void): void {
    const run = () => {
      act(observable.get());
      this.#options.onChange();
    };
    this.#undo.push(observable.subscribe(run));
    act(observable.get());
  }
}
