import { type BreakoutRooms, Breakouts } from "./breakouts.js";
import { Channels } from "./channels.js";
import { browserClock, type Clock } from "./clock.js";
import { Company } from "./company.js";
import { CurrentRoom } from "./current-room.js";
import type { EncryptionState } from "./encryption-state.js";
import { EventStream } from "./event-stream.js";
import { Hosting } from "./hosting.js";
import { Knockers } from "./knockers.js";
import type { LocalMedia } from "./local-media.js";
import { MediaConnection } from "./media-connection.js";
import { MediaLink } from "./media-link.js";
import type { MeetingOptions } from "./meeting-options.js";
import type { ChatMessage, Reaction, ReactionEmoji } from "./messages.js";
import { type Notice, Notices, newsBetween } from "./notices.js";
import { type Observable, Value } from "./observable.js";
import { whenOnline, whenSeen } from "./online.js";
import { OwnMedia } from "./own-media.js";
import { type EndReason, endOf, type Phase } from "./phase.js";
import { type MeetingPolls, Polls } from "./polls.js";
import { forgetful } from "./preferences.js";
import { type MeetingRecordings, Recordings } from "./recordings.js";
import type { Person } from "./roster.js";
import { ScreenSource } from "./screen-capture.js";
import { Service } from "./service.js";
import { ServiceError } from "./service-error.js";
import type { GroupView } from "./strict/group-view.js";
import { type Channel, Talk } from "./talk.js";
import type { Knocking, RoomChange, RoomInfo, RunningMeeting, ServiceEvent, You } from "./wire.js";

/** A meeting the person is in, from taking the seat to leaving it. */
export class Meeting {
  readonly identity: string;
  readonly redirectUrl: string | null;
  readonly localMedia: LocalMedia;
  readonly screen = new ScreenSource();
  readonly #options: MeetingOptions;
  readonly #service: Service;
  readonly #breakouts: Breakouts;
  readonly #polls: Polls;
  readonly #recordings: Recordings;
  readonly #hosting: Hosting;
  readonly #talk: Talk;
  readonly #stream: EventStream;
  readonly #link: MediaLink;
  readonly #own: OwnMedia;
  readonly #phase = new Value<Phase>({ kind: "connecting" });
  readonly #room: CurrentRoom;
  readonly #you = new Value<You | null>(null);
  readonly #running = new Value<RunningMeeting | null>(null);
  readonly #knockers = new Knockers();
  readonly #company = new Company();
  readonly #channels: Channels;
  readonly #soundBlocked = new Value(false);
  readonly #notices = new Notices();
  readonly #undo: (() => void)[] = [];
  readonly phase: Observable<Phase> = this.#phase;
  readonly you: Observable<You | null> = this.#you;
  readonly running: Observable<RunningMeeting | null> = this.#running;
  /** The way that sound and pictures take at this moment; null while they take none. */
  readonly mediaPath = () => this.#link.path();

  constructor(options: MeetingOptions) {
    const { seat, localMedia, baseUrl, fetch } = options;
    const clock = options.clock ?? browserClock;
    const refresh = () => this.#refresh();
    this.#options = options;
    this.identity = seat.identity;
    this.redirectUrl = seat.redirect_url;
    this.localMedia = localMedia;
    this.#service = new Service({ baseUrl, clock, ...(fetch ? { fetch } : {}) });
    this.#breakouts = new Breakouts({
      service: this.#service,
      ticket: seat.ticket,
      clock,
      store: options.passing ?? forgetful,
      onPlace: (place) => this.#link.moveTo(place),
    });
    this.#polls = new Polls({
      service: this.#service,
      ticket: seat.ticket,
      identity: seat.identity,
      store: options.lasting ?? forgetful,
      clock,
      room: () => this.#room.info.get()?.id ?? null,
    });
    this.#recordings = new Recordings({
      service: this.#service,
      ticket: seat.ticket,
      recordable: () =>
        new Map([...this.#link.recordable(), [seat.identity, this.#own.recordable()]]),
    });
    this.#hosting = new Hosting(this.#service, seat.ticket);
    this.#room = new CurrentRoom(this.#service, seat.ticket, options.room ?? null);
    this.#talk = this.#newTalk(clock);
    this.#channels = this.#newChannels(clock);
    this.#link = this.#newLink(clock);
    this.#own = new OwnMedia({
      identity: seat.identity,
      localMedia,
      screen: this.screen,
      link: this.#link,
      onChange: refresh,
    });
    this.#stream = this.#newStream(clock);
    this.#undo.push(
      whenOnline(() => {
        this.#stream.renew();
        this.#hurry();
      }),
      whenSeen(() => this.#stream.renewIfSilent()),
      this.group.subscribe(refresh),
    );
    this.#link.start();
  }

  #newTalk(clock: Clock): Talk {
    return new Talk({
      clock,
      me: this.identity,
      nameOf: (identity) => this.#company.nameOf(identity),
      isListed: (identity) => this.#company.isListed(identity),
      placeOf: (breakoutId) => this.#breakouts.placeOf(breakoutId),
      allows: () => this.#room.info.get()?.settings ?? { chat: false, reactions: false },
      listedIn: (place) => this.#company.listedIn(place),
      send: (...sent) => this.#link.send(...sent),
    });
  }

  #newStream(clock: Clock): EventStream {
    return new EventStream({
      service: this.#service,
      ticket: this.#options.seat.ticket,
      clock,
      onEvent: (event) => this.#take(event),
      onRefused: () => this.#end("lost"),
      onLive: (live) => {
        // The service is back, so nothing need wait any longer.
        if (live) this.#hurry();
      },
    });
  }

  #newChannels(clock: Clock): Channels {
    const { seat, baseUrl, room, createGroupWorker, linkSecret } = this.#options;
    return new Channels({
      seat,
      baseUrl,
      clock,
      room: room ?? null,
      createWorker: createGroupWorker,
      onWorkerFailed: () => this.#end("worker_failed"),
      onOvertaken: () => this.#stream.renewIfMissing(),
      linkSecret: linkSecret ?? null,
      ahead: () => this.#service.time.now() - this.#service.time.local(),
      send: (place, topic, packet, to) =>
        void this.#link.sendTo(place, topic, packet, to).catch(() => {}),
    });
  }

  #newLink(clock: Clock): MediaLink {
    const { groups } = this.#channels;
    const { seat, createEncryptionWorker } = this.#options;
    return new MediaLink({
      service: this.#service,
      seat,
      clock,
      openChannel: this.#channels.open,
      onGivenUp: (place) => groups?.leave(place),
      newConnection: ({ group }, events) =>
        new MediaConnection({ ...events, clock, group, createEncryptionWorker }),
      onPhase: (kind) => this.#phase.set({ kind }),
      onEnd: (reason) => this.#end(reason),
      onChange: () => this.#refresh(),
      onEntered: (channel) => this.#entered(channel),
      onBack: () => this.#talk.back(),
      onLeft: () => this.#talk.left(),
      onData: (channel, sender, topic, packet) => {
        groups?.receive(channel.place, sender, topic, packet);
        void this.#talk.receive(channel, sender, topic, packet);
      },
      onMuted: (source) => this.#own.stop(source),
      onReachable: ({ place }, identity) => {
        groups?.reachable(place, identity);
        this.#talk.reachable(place, identity);
      },
    });
  }

  get room(): Observable<RoomInfo | null> {
    return this.#room.info;
  }

  get people(): Observable<readonly Person[]> {
    return this.#company.people;
  }

  /** For hosts and co-hosts: the people who knock, oldest first. Empty for everybody else. */
  get waiting(): Observable<readonly Knocking[]> {
    return this.#knockers.list;
  }

  get breakouts(): BreakoutRooms {
    return this.#breakouts;
  }

  get polls(): MeetingPolls {
    return this.#polls;
  }

  /** What hosts and co-hosts can do with other people. */
  get hosting(): Hosting {
    return this.#hosting;
  }

  get recordings(): MeetingRecordings {
    return this.#recordings;
  }

  get encryption(): Observable<EncryptionState> {
    return this.#company.encryption;
  }

  /** The group of a strict meeting; null in a standard one. */
  get group(): Observable<GroupView | null> {
    return this.#channels.group;
  }

  /** True while the browser refuses to play sound before a click; see startSound. */
  get soundBlocked(): Observable<boolean> {
    return this.#soundBlocked;
  }

  get chat(): Observable<readonly ChatMessage[]> {
    return this.#talk.chat;
  }

  get reactions(): Observable<readonly Reaction[]> {
    return this.#talk.reactions;
  }

  get notices(): Observable<readonly Notice[]> {
    return this.#notices.list;
  }

  dismiss(notice: Notice): void {
    this.#notices.dismiss(notice);
  }

  setMicrophone(on: boolean): Promise<void> {
    return this.localMedia.setMicrophone(on);
  }

  setCamera(on: boolean): Promise<void> {
    return this.localMedia.setCamera(on);
  }

  /** Resolves to whether the screen is shared now; false when the person cancelled. */
  async shareScreen(on: boolean): Promise<boolean> {
    if (on) return this.screen.start();
    this.screen.stop();
    return false;
  }

  async raiseHand(raised: boolean): Promise<void> {
    await this.#service.raiseHand(this.#options.seat.ticket, raised);
  }

  /** Changes one's own name for everybody; allowed while `you.may.rename`, once in five seconds. */
  rename(name: string): Promise<void> {
    return this.#service.rename(this.#options.seat.ticket, name);
  }

  sendChat(text: string): Promise<void> {
    return this.#talk.sendChat(text);
  }

  sendReaction(emoji: ReactionEmoji): Promise<void> {
    return this.#talk.sendReaction(emoji);
  }

  startSound(): Promise<void> {
    return this.#link.startSound();
  }

  /**
   * The room's own hosts: changes the room. `room` has the change when the promise resolves, or a
   * moment later if the event stream brought another change of the room meanwhile.
   */
  changeRoom(change: RoomChange): Promise<void> {
    return this.#room.change(change);
  }

  /** Gives up the seat for good. The person is out at once, even without a network. */
  async leave(): Promise<void> {
    const wasIn = this.#phase.get().kind !== "ended";
    this.#end("left");
    if (!wasIn) return;
    try {
      await this.#service.leave(this.#options.seat.ticket);
    } catch (error) {
      // The media server sees the connection end, so the service learns of it in any case.
      if (!(error instanceof ServiceError)) throw error;
    }
  }

  #take(event: ServiceEvent): void {
    switch (event.type) {
      case "room":
        this.#room.take(event.data);
        if (!this.#channels.takeRoom(event.data)) this.#end("downgraded");
        break;
      case "you":
        this.#takeYou(event.data);
        break;
      case "people":
      case "people_changed":
        if (!this.#company.take(event)) this.#stream.restart();
        this.#talk.listChanged();
        this.#refresh();
        break;
      case "waiting":
        this.#knockers.take(event.data);
        break;
      case "meeting":
        this.#running.set(event.data);
        break;
      case "breakouts":
        this.#breakouts.takeSession(event.data.session);
        break;
      case "announcement":
        this.#breakouts.takeAnnouncement(event.data);
        break;
      case "polls":
        this.#polls.take(event.data);
        break;
      case "recording":
        this.#recordings.take(event.data);
        break;
      case "group":
        this.#channels.groups?.update(event.data);
        break;
      case "door": // The person has been admitted already.
      case "restarting": // The connections end in a moment and come back by themselves.
        break;
      case "end":
        this.#end(endOf(event.data.reason));
        break;
    }
  }

  /**
   * A shared screen is meant for the people in the old room only. Microphone and camera stay on.
   */
  #entered(channel: Channel): void {
    if (channel.place !== this.#breakouts.whereabouts.get().breakoutId) this.screen.stop();
    this.#talk.enter(channel);
    this.#channels.groups?.arrived(channel.place);
    this.#breakouts.arrived(channel.place);
  }

  #hurry(): void {
    this.#link.hurry();
    this.#channels.groups?.hurry();
  }

  #takeYou(you: You): void {
    const news = newsBetween(this.#you.get(), you, this.screen.capture.get() !== null);
    this.#you.set(you);
    this.#knockers.setHost(you.role === "host");
    this.#own.apply(you, news);
    this.#notices.take(news, you, this.localMedia.microphone.get().on);
  }

  #refresh(): void {
    if (this.#phase.get().kind === "ended") return;
    const media = new Map(this.#link.people() ?? []);
    media.set(this.identity, this.#own.view(this.#link.local()));
    const { breakoutId } = this.#breakouts.whereabouts.get();
    const me = { identity: this.identity, breakoutId };
    const { isEncrypted } = this.#link;
    this.#company.refresh(media, me, { isEncrypted, group: this.group.get() });
    this.#soundBlocked.set(this.#link.soundBlocked);
    this.#recordings.mediaChanged();
  }

  #end(reason: EndReason): void {
    if (this.#phase.get().kind === "ended") return;
    this.#phase.set({ kind: "ended", reason });
    for (const undo of this.#undo) undo();
    this.#stream.close();
    this.#breakouts.close();
    this.#talk.close();
    this.#link.close();
    this.#channels.groups?.close();
    this.#own.close();
    // A person who is refused by the gate keeps the seat, to ask again with it.
    if (reason !== "elsewhere" && reason !== "refused") this.#options.seats?.forget();
  }
}
