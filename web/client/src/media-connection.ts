import {
  type DisconnectReason,
  isE2EESupported,
  type RemoteParticipant,
  type RemoteTrack,
  type RemoteTrackPublication,
  Room,
  RoomEvent,
  ScreenSharePresets,
  Track,
  type TrackPublication,
} from "livekit-client";
import { ownRetries } from "./connecting.js";
import { EncryptionUnsupported, failureOf } from "./encryption-worker.js";
import { firstPicture } from "./first-picture.js";
import { KeyDoubts } from "./key-doubts.js";
import { repairLibrary } from "./library-repairs.js";
import { LocalPublication } from "./local-publication.js";
import type { LocalSourceName, MediaConnectionOptions } from "./media-connection-options.js";
import { GroupKeys, type MediaKeys, PassphraseKeys } from "./media-keys.js";
import { type MediaPath, pathOf } from "./media-path.js";
import {
  excessOf,
  publishesInTheClear,
  qualityOf,
  remotePerson,
  VideoViews,
} from "./media-person.js";
import { OthersSound } from "./others-sound.js";
import { leaveWithPage } from "./page-leave.js";
import { type RecordableMedia, remoteMedia } from "./recordable-media.js";
import type { MediaPerson, Protection, Quality } from "./roster.js";
import { Throttle } from "./throttle.js";
import type { MediaToken } from "./wire.js";

/**
 * How often the list of others is updated at most, in milliseconds. People do not notice the delay.
 */
const updateEvery = 50;
const encryptionDeadline = 5000;

/** One connection to the media server, from connecting to its end. The next one is a new object. */
export class MediaConnection {
  readonly #room: Room;
  readonly #options: MediaConnectionOptions;
  readonly #keys: MediaKeys;
  readonly #worker: Worker;
  readonly #workerFailed: Promise<never>;
  readonly #doubts: KeyDoubts;
  readonly #changes: Throttle;
  readonly #views = new VideoViews();
  /** People who sent unencrypted media. They are not played again on this connection. */
  readonly #inTheClear = new Set<string>();
  readonly #sound = new OthersSound();
  readonly #publications: Record<LocalSourceName, LocalPublication>;
  readonly #closing = new AbortController();
  #end: (reason: DisconnectReason | undefined) => void = () => {};
  /** Resolves when the connection is over and will not come back by itself. */
  readonly ended: Promise<DisconnectReason | undefined>;

  constructor(options: MediaConnectionOptions) {
    if (!isE2EESupported()) throw new EncryptionUnsupported();
    this.#options = options;
    this.#changes = new Throttle(options.clock, updateEvery, options.onChange);
    this.#worker = options.createEncryptionWorker();
    this.#workerFailed = failureOf(this.#worker);
    const { group } = options;
    this.#keys = group
      ? new GroupKeys(group, {
          onInstall: () => {
            this.#doubts.clear();
            this.#subscribe();
          },
          onMaySend: () => this.#maySendChanged(),
        })
      : new PassphraseKeys();
    this.#room = new Room({
      ...this.#keys.encryption(this.#worker),
      adaptiveStream: true,
      dynacast: true,
      stopLocalTrackOnUnpublish: false,
      disconnectOnPageLeave: false, // leaveWithPage does it
      publishDefaults: { videoCodec: "vp8", dtx: true, red: false },
      reconnectPolicy: ownRetries(options.clock),
    });
    this.#doubts = new KeyDoubts({
      find: (identity) => this.#room.remoteParticipants.get(identity),
      clock: options.clock,
      onChange: () => this.#changes.trigger(),
    });
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    const of = (source: Track.Source, more = {}) =>
      new LocalPublication(this.#room.localParticipant, { source, ...more });
    this.#publications = {
      microphone: of(Track.Source.Microphone),
      camera: of(Track.Source.Camera, { simulcast: true }),
      screen: of(Track.Source.ScreenShare, {
        screenShareEncoding: ScreenSharePresets.h1080fps15.encoding,
      }),
      screenSound: of(Track.Source.ScreenShareAudio, { dtx: false }),
    };
    this.#listen();
  }

  /**
   * Connects. A strict meeting's keys may come later; until then nothing is sent or played.
   * `patience` is the time limit in milliseconds of each step, the WebSocket and the media
   * transport, now and when the media library reconnects by itself. After that time the library
   * gives up without sending a leave message, since the person has not left the meeting.
   */
  connect(credentials: MediaToken, patience: number): Promise<void> {
    return Promise.race([this.#connect(credentials, patience), this.#workerFailed]);
  }

  async #connect(credentials: MediaToken, patience: number): Promise<void> {
    await this.#keys.prepare(credentials);
    if (!this.#keys.maySend) this.#hold(true);
    await this.#room.setE2EEEnabled(true);
    this.#room.once(RoomEvent.SignalConnected, () => this.#joined());
    await this.#room.connect(credentials.server_url, credentials.token, {
      // A picture begins with a key frame, which would be lost if it came before its key.
      autoSubscribe: !this.#keys.areOfGroup,
      maxRetries: 0,
      websocketTimeout: patience,
      peerConnectionTimeout: patience,
    });
    await this.#encryptionOn();
    this.#subscribe();
    this.#changes.trigger();
  }

  /**
   * Waits for the first picture of the others, or for a moment; null if none is to come. Publishing
   * before that would interrupt it, because each negotiation makes the browser begin anew with what
   * it receives.
   */
  firstPicture(): Promise<void> | null {
    const people = this.#room.remoteParticipants.values();
    return firstPicture(people, this.#options.clock, this.#closing.signal);
  }

  /** Plays the others' sound and sends what is published, from now on. */
  begin(): void {
    if (this.#isClosed) return;
    this.#sound.play();
    for (const publication of Object.values(this.#publications)) {
      publication.begin().catch(() => {}); // the connection is over
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#closing.abort();
    this.#doubts.close();
    this.#changes.close();
    this.#keys.close();
    this.#sound.close();
    void this.#room
      .disconnect(false)
      .catch(() => {})
      .finally(() => {
        this.#room.removeAllListeners();
        this.#worker.terminate();
      });
    this.#end(undefined);
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  get isEncrypted(): boolean {
    return this.#room.isE2EEEnabled;
  }

  /** Publishes what a source has. Nothing is sent before `begin`. */
  publish(source: LocalSourceName, on: boolean, track: MediaStreamTrack | null): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return this.#publications[source].want({ on, track });
  }

  /** Everybody else, by identity. */
  people(): ReadonlyMap<string, MediaPerson> {
    const people = new Map<string, MediaPerson>();
    for (const participant of this.#room.remoteParticipants.values()) {
      const protection = this.#protectionOf(participant);
      people.set(participant.identity, remotePerson(participant, this.#views, protection));
    }
    return people;
  }

  /** The media of everybody else for a recording, by identity. */
  recordable(): ReadonlyMap<string, RecordableMedia> {
    const recordable = new Map<string, RecordableMedia>();
    for (const participant of this.#room.remoteParticipants.values()) {
      const isPlayable = this.#protectionOf(participant) === "encrypted";
      recordable.set(
        participant.identity,
        remoteMedia(participant, isPlayable, this.#sound.tracks),
      );
    }
    return recordable;
  }

  /** The way of this connection's sound and pictures; null while there is none. */
  async path(): Promise<MediaPath | null> {
    const { pcManager } = this.#room.engine;
    for (const transport of [pcManager?.subscriber, pcManager?.publisher]) {
      const report = await transport?.getStats();
      const path = report ? pathOf(report as Map<string, RTCStats>) : null;
      if (path) return path;
    }
    return null;
  }

  local(): { readonly speaking: boolean; readonly quality: Quality } {
    const participant = this.#room.localParticipant;
    return { speaking: participant.isSpeaking, quality: qualityOf(participant) };
  }

  /** Sends to everybody in the room, or to some of them. */
  async send(
    topic: string,
    packet: Uint8Array<ArrayBuffer>,
    to: readonly string[] | null,
  ): Promise<void> {
    const destination = to === null ? {} : { destinationIdentities: [...to] };
    const options = { reliable: true, topic, ...destination };
    await this.#room.localParticipant.publishData(packet, options);
  }

  /** Whether the browser lets sound play; if not, call startSound from a click. */
  get soundAllowed(): boolean {
    return this.#room.canPlaybackAudio;
  }

  async startSound(): Promise<void> {
    await this.#room.startAudio();
  }

  async setSpeaker(id: string): Promise<void> {
    await this.#room.switchActiveDevice("audiooutput", id === "" ? "default" : id);
  }

  #listen(): void {
    const room = this.#room;
    const changed = () => this.#changes.trigger();
    room
      .on(RoomEvent.ParticipantConnected, changed)
      .on(RoomEvent.ParticipantActive, ({ identity }) => this.#options.onReachable(identity))
      .on(RoomEvent.ParticipantDisconnected, (participant) => {
        this.#doubts.forget(participant.identity);
        changed();
      })
      .on(RoomEvent.TrackPublished, (_publication, participant) => {
        this.#inspect(participant);
        this.#subscribe();
      })
      .on(RoomEvent.TrackSubscribed, (track, publication, participant) =>
        this.#subscribed(track, publication, participant),
      )
      .on(RoomEvent.TrackUnsubscribed, (track) => {
        this.#sound.remove(track);
        changed();
      })
      .on(RoomEvent.TrackUnpublished, changed)
      .on(RoomEvent.TrackUnmuted, changed)
      .on(RoomEvent.TrackStreamStateChanged, changed)
      .on(RoomEvent.ActiveSpeakersChanged, changed)
      .on(RoomEvent.ConnectionQualityChanged, changed)
      .on(RoomEvent.AudioPlaybackStatusChanged, changed)
      .on(RoomEvent.ParticipantEncryptionStatusChanged, changed)
      .on(RoomEvent.EncryptionError, (_error, participant) => this.#doubts.add(participant))
      .on(RoomEvent.DataReceived, (packet, participant, _kind, topic) => {
        if (participant && topic) this.#options.onData(participant.identity, topic, packet);
      })
      .on(RoomEvent.TrackMuted, (publication, participant) => {
        if (participant.isLocal) this.#ownTrackMuted(publication);
        changed();
      })
      .on(RoomEvent.SignalReconnecting, () => this.#options.onInterrupted(true))
      .on(RoomEvent.Reconnecting, () => this.#options.onInterrupted(true))
      .on(RoomEvent.Reconnected, () => this.#options.onInterrupted(false))
      .on(RoomEvent.Disconnected, (reason) => this.#end(reason));
    leaveWithPage(room, window, this.#closing.signal);
    repairLibrary(room, this.#worker, !this.#keys.areOfGroup, this.#options.clock);
  }

  #subscribed(
    track: RemoteTrack,
    publication: RemoteTrackPublication,
    participant: RemoteParticipant,
  ): void {
    this.#inspect(participant);
    const isToPlay = publication.isDesired && !this.#inTheClear.has(participant.identity);
    if (track.kind === Track.Kind.Audio && isToPlay) this.#sound.add(track);
    this.#changes.trigger();
  }

  /**
   * Ignores tracks beyond a sensible number, and stops playing a person who publishes anything
   * unencrypted, because their other tracks may be forged as well.
   */
  #inspect(participant: RemoteParticipant): void {
    for (const publication of excessOf(participant)) {
      if (publication.isDesired) publication.setSubscribed(false);
    }
    if (publishesInTheClear(participant)) {
      this.#inTheClear.add(participant.identity);
      for (const publication of participant.trackPublications.values()) {
        if (publication.track) this.#sound.remove(publication.track);
      }
    }
    this.#changes.trigger();
  }

  #protectionOf(participant: RemoteParticipant): Protection {
    if (this.#inTheClear.has(participant.identity)) return "unencrypted";
    const { identity, trackPublications } = participant;
    const isLacked = trackPublications.size > 0 && this.#keys.lack(identity);
    const isOpened = !isLacked && !this.#doubts.isConfirmed(identity);
    return isOpened ? "encrypted" : "key_mismatch";
  }

  /** Asks for the media of those whose keys are there. */
  #subscribe(): void {
    if (!this.#keys.areOfGroup) return;
    for (const participant of this.#room.remoteParticipants.values()) {
      if (!this.#keys.open(participant.identity)) continue;
      const excess = excessOf(participant);
      for (const publication of participant.trackPublications.values()) {
        const isWanted = !publication.isSubscribed && !excess.includes(publication);
        if (isWanted) publication.setSubscribed(true);
      }
    }
    this.#changes.trigger();
  }

  #joined(): void {
    const tell = () => {
      if (!this.#isClosed) this.#options.onJoined();
    };
    this.#encryptionOn().then(tell, () => {}); // connect fails with the same error
  }

  #maySendChanged(): void {
    this.#hold(!this.#keys.maySend);
    if (this.#keys.maySend) this.#options.onMaySend();
    this.#changes.trigger();
  }

  #hold(isHeld: boolean): void {
    for (const publication of Object.values(this.#publications)) {
      // What fails is published again by the owner.
      publication.hold(isHeld).catch(() => {});
    }
  }

  #ownTrackMuted({ source, track }: TrackPublication): void {
    // The library mutes the track of an unplugged device. The next device replaces it.
    if (track?.mediaStreamTrack.readyState === "ended") return;
    if (source === Track.Source.Microphone && this.#publications.microphone.isWanted) {
      this.#options.onMuted("microphone");
    }
    if (source === Track.Source.Camera && this.#publications.camera.isWanted) {
      this.#options.onMuted("camera");
    }
  }

  /** Resolves once the worker has confirmed that it encrypts what this device sends. */
  #encryptionOn(): Promise<void> {
    if (this.#room.isE2EEEnabled) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle = () => {
        if (!this.#room.isE2EEEnabled) return;
        cancel();
        this.#room.off(RoomEvent.ParticipantEncryptionStatusChanged, settle);
        resolve();
      };
      const cancel = this.#options.clock.after(encryptionDeadline, () => {
        this.#room.off(RoomEvent.ParticipantEncryptionStatusChanged, settle);
        reject(new Error("Encryption did not start in time."));
      });
      this.#room.on(RoomEvent.ParticipantEncryptionStatusChanged, settle);
    });
  }
}
