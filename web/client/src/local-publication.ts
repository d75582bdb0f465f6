import {
  LocalAudioTrack,
  type LocalParticipant,
  type LocalTrack,
  LocalVideoTrack,
  ParticipantEvent,
  Track,
  type TrackPublishOptions,
} from "livekit-client";

/** The track to publish from one source, and nothing while the source is off. */
export interface Wanted {
  readonly on: boolean;
  readonly track: MediaStreamTrack | null;
}

/**
 * Publishes one source as the person wants and the media server allows. Changes may come faster
 * than the media server follows; each round works towards the latest one. Until `begin`, publishing
 * negotiates, which takes a while, but sends nothing.
 */
export class LocalPublication {
  readonly #participant: LocalParticipant;
  readonly #options: TrackPublishOptions & { source: Track.Source };
  #wanted: Wanted = { on: false, track: null };
  #published: LocalTrack | null = null;
  #isHeld = false;
  #round: Promise<void> | null = null;
  #hasBegun = false;
  /** The track that is being negotiated, until the end of its round. */
  #negotiating: LocalTrack | null = null;
  /** What is negotiated, and sent once this has begun. */
  #silent: { readonly sender: RTCRtpSender; readonly track: LocalTrack } | null = null;

  constructor(
    participant: LocalParticipant,
    options: TrackPublishOptions & { source: Track.Source },
  ) {
    this.#participant = participant;
    this.#options = options;
    // Rights change during a meeting. What the person wanted meanwhile is published once it is
    // allowed.
    participant.on(ParticipantEvent.ParticipantPermissionsChanged, () => {
      void this.want({ ...this.#wanted }).catch(() => {});
    });
    participant.on(ParticipantEvent.LocalSenderCreated, (sender, created) => {
      // A published track gets another sender when the library connects again by itself.
      const track = this.#negotiating ?? this.#published;
      if (this.#hasBegun || track === null || created !== track) return;
      this.#silent = { sender, track };
      void sender.replaceTrack(null).catch(() => {}); // the connection is over
    });
  }

  get isWanted(): boolean {
    return this.#wanted.on;
  }

  /** While it is held, nothing is sent. What the person wants meanwhile is done afterwards. */
  hold(isHeld: boolean): Promise<void> {
    if (this.#isHeld === isHeld) return this.#round ?? Promise.resolve();
    this.#isHeld = isHeld;
    return this.want({ ...this.#wanted });
  }

  /** Sends what is published from now on, as the person wants it by then. */
  async begin(): Promise<void> {
    this.#hasBegun = true;
    await this.#round?.catch(() => {}); // the caller of `want` tries again
    const silent = this.#silent;
    this.#silent = null;
    if (!silent || this.#isHeld) return; // what is held is resumed later
    await silent.track.resumeUpstream();
    await silent.sender.replaceTrack(silent.track.mediaStreamTrack);
  }

  want(wanted: Wanted): Promise<void> {
    this.#wanted = wanted;
    this.#round ??= this.#settle().finally(() => {
      this.#round = null;
    });
    return this.#round;
  }

  async #settle(): Promise<void> {
    let done: Wanted | null = null;
    while (done !== this.#wanted) {
      done = this.#wanted;
      await this.#apply(done);
    }
  }

  async #apply(wanted: Wanted): Promise<void> {
    const { track } = wanted;
    if (!this.#isAllowed) {
      // The media server has stopped it, so it must not count as published here.
      if (this.#published) await this.#unpublish(this.#published);
      return;
    }
    if (this.#isHeld) {
      await this.#published?.pauseUpstream();
      return;
    }
    if (wanted.on && track) {
      if (this.#published) await this.#show(this.#published, track);
      else await this.#publish(track);
      return;
    }
    if (!this.#published) return;
    if (this.#isScreen) {
      await this.#unpublish(this.#published);
      return;
    }
    await this.#published.mute();
    await this.#resume(this.#published);
  }

  get #isAllowed(): boolean {
    const { permissions } = this.#participant;
    if (!permissions) return true;
    const { canPublish, canPublishSources } = permissions;
    // An empty list of sources stands for all of them.
    if (canPublishSources.length === 0) return canPublish;
    return canPublish && canPublishSources.includes(Track.sourceToProto(this.#options.source));
  }

  get #isScreen(): boolean {
    const { source } = this.#options;
    return source === Track.Source.ScreenShare || source === Track.Source.ScreenShareAudio;
  }

  async #show(published: LocalTrack, track: MediaStreamTrack): Promise<void> {
    if (published.mediaStreamTrack !== track) {
      await published.replaceTrack(track, { userProvidedTrack: true });
    }
    await this.#resume(published);
    if (published.isMuted) await published.unmute();
  }

  /** Sends again after a hold, and not before this has begun. */
  async #resume(published: LocalTrack): Promise<void> {
    if (this.#hasBegun) await published.resumeUpstream();
  }

  async #publish(track: MediaStreamTrack): Promise<void> {
    // "User provided": we open and stop the track, not the media library.
    const isAudio = track.kind === "audio";
    const Local = isAudio ? LocalAudioTrack : LocalVideoTrack;
    // The library's own types do not agree with each other under exactOptionalPropertyTypes.
    const local = new Local(track, undefined, true) as LocalTrack;
    this.#negotiating = local;
    try {
      await this.#participant.publishTrack(local, this.#options);
      this.#published = local;
    } catch (error) {
      this.#silent = null; // the library gave its sender up
      throw error;
    } finally {
      this.#negotiating = null;
    }
  }

  async #unpublish(published: LocalTrack): Promise<void> {
    this.#published = null;
    this.#silent = null;
    await this.#participant.unpublishTrack(published, false);
  }
}
