import type { Place } from "./breakouts.js";
import { withMessage } from "./chat-log.js";
import type { Clock } from "./clock.js";
import { chatTopic, type Envelopes, epochOf, reactionTopic } from "./envelope.js";
import {
  type ChatMessage,
  type ChatPacket,
  chatTextLimit,
  type Reaction,
  type ReactionEmoji,
  readChat,
  readReaction,
  textLength,
} from "./messages.js";
import { MissedMessages } from "./missed-messages.js";
import { type Observable, Value } from "./observable.js";
import { PendingMessages } from "./pending-messages.js";
import { RateLimiter } from "./rate-limiter.js";
import type { PlaceKeys } from "./strict/place-keys.js";

/** How long a reaction is shown, in milliseconds. */
const reactionTime = 5000;
/** How many reactions are shown at most. More would only cover each other. */
const reactionLimit = 50;
/** The room that a device is in, and its keys. */
export interface Channel {
  /** A breakout room's id; null: the main room. */
  readonly place: string | null;
  readonly envelopes: Envelopes;
  /** The keys of a strict meeting's group; null in a standard meeting. */
  readonly group: PlaceKeys | null;
}

export interface TalkOptions {
  readonly clock: Clock;
  readonly me: string;
  readonly nameOf: (identity: string) => string | null;
  /** Whether the service counts a person as in the meeting. Messages of others are not shown. */
  readonly isListed: (identity: string) => boolean;
  readonly placeOf: (breakoutId: string | null) => Place;
  /** The identities of the people in this room as the service counts them, connected or not. */
  readonly listedIn: (place: string | null) => readonly string[];
  /** What the room allows right now. */
  readonly allows: () => { readonly chat: boolean; readonly reactions: boolean };
  /** Sends to everybody in the channel's room, or to some of them. */
  readonly send: (
    channel: Channel,
    topic: string,
    packet: Uint8Array<ArrayBuffer>,
    to: readonly string[] | null,
  ) => Promise<void>;
}

/** Chat and reactions: sends sealed envelopes, and drops received ones that do not open. */
export class Talk {
  readonly #options: TalkOptions;
  readonly #chat = new Value<readonly ChatMessage[]>([]);
  readonly #reactions = new Value<readonly Reaction[]>([]);
  readonly #limiter: RateLimiter;
  readonly #pending: PendingMessages;
  readonly #missed: MissedMessages;
  /** By sender and epoch: the last packet that is being opened. It is done after those before it. */
  readonly #opening = new Map<string, Promise<void>>();
  /** Settles when the last message was handed over to be sent. */
  #handingOver: Promise<unknown> = Promise.resolve();
  #channel: Channel | null = null;
  /** Ends following the keys of the channel. */
  #unfollow: () => void = () => {};
  #reactionCount = 0;

  constructor(options: TalkOptions) {
    this.#options = options;
    this.#limiter = new RateLimiter(options.clock);
    this.#pending = new PendingMessages(options.clock, options.isListed);
    this.#missed = new MissedMessages({
      clock: options.clock,
      readers: () => this.#channel?.group?.readers ?? null,
      send: (packet, to) => this.#send(chatTopic, packet, to),
    });
  }

  get chat(): Observable<readonly ChatMessage[]> {
    return this.#chat;
  }

  get reactions(): Observable<readonly Reaction[]> {
    return this.#reactions;
  }

  /** From now on messages go to this room. Earlier messages stay in the list. */
  enter(channel: Channel): void {
    this.#channel = channel;
    this.#unfollow();
    this.#missed.enter(channel.place);
    const changed = () => this.#missed.readersChanged();
    const follower = { install: () => {}, send: changed, erase: () => {} };
    this.#unfollow = channel.group?.follow(follower) ?? (() => {});
  }

  /** The device has lost its connection. */
  left(): void {
    this.#missed.left();
  }

  /** The connection was interrupted, and works again. */
  back(): void {
    this.#missed.back();
  }

  /** Another device in this room can be reached, perhaps again. */
  reachable(place: string | null, identity: string): void {
    this.#missed.reachable(place, identity);
  }

  /** The meeting is over for this device. */
  close(): void {
    this.#unfollow();
    this.#missed.close();
  }

  /** The list of people in the meeting has changed. */
  listChanged(): void {
    this.#pending.listChanged();
  }

  async sendChat(text: string): Promise<void> {
    const trimmed = text.trim();
    if (trimmed === "" || textLength(trimmed) > chatTextLimit) {
      throw new RangeError(`A message has 1 to ${chatTextLimit} characters.`);
    }
    const { clock, me, listedIn } = this.#options;
    const packet: ChatPacket = {
      id: crypto.randomUUID(),
      text: trimmed,
      sent_at: new Date(clock.now()).toISOString(),
    };
    const to = listedIn(this.#channel?.place ?? null).filter((identity) => identity !== me);
    const { place } = await this.#send(chatTopic, packet);
    this.#missed.add(packet, place, to);
    this.#addChat(me, packet, place);
  }

  async sendReaction(emoji: ReactionEmoji): Promise<void> {
    await this.#send(reactionTopic, { emoji });
    this.#addReaction(this.#options.me, emoji);
  }

  async receive(
    { envelopes, place }: Channel,
    sender: string,
    topic: string,
    packet: Uint8Array,
  ): Promise<void> {
    if (topic !== chatTopic && topic !== reactionTopic) return;
    // Counted before it is opened, because opening costs the most.
    if (!this.#limiter.allows(sender, topic)) return;
    // Packets of one epoch keep their order. One whose keys are missing holds up no other epoch's.
    const line = `${sender} ${epochOf(packet)}`;
    await this.#inTurn(line, envelopes.open(topic, sender, packet), (message) =>
      topic === chatTopic
        ? this.#takeChat(sender, message, place)
        : this.#takeReaction(sender, message),
    );
  }

  /** Takes what the packets of a line contain in the order in which they came: some open faster. */
  async #inTurn(
    line: string,
    opened: Promise<unknown>,
    take: (message: unknown) => void,
  ): Promise<void> {
    const before = this.#opening.get(line)?.catch(() => {});
    const taken = Promise.all([opened, before]).then(([message]) => take(message));
    this.#opening.set(line, taken);
    await taken.finally(() => {
      if (this.#opening.get(line) === taken) this.#opening.delete(line);
    });
  }

  #takeChat(sender: string, message: unknown, place: string | null): void {
    const chat = readChat(message);
    if (!chat || !this.#options.allows().chat) return;
    this.#pending.deliver(sender, () => this.#addChat(sender, chat, place));
  }

  #takeReaction(sender: string, message: unknown): void {
    const emoji = readReaction(message);
    if (!emoji || !this.#options.allows().reactions) return;
    this.#pending.deliver(sender, () => this.#addReaction(sender, emoji));
  }

  async #send(
    topic: string,
    message: unknown,
    to: readonly string[] | null = null,
  ): Promise<Channel> {
    const channel = this.#channel;
    if (!channel) throw new Error("The meeting is not connected yet.");
    // Some are sealed faster, and all leave in the order in which they were written.
    const sealed = channel.envelopes.seal(topic, this.#options.me, message);
    const turn = Promise.all([sealed, this.#handingOver]);
    this.#handingOver = turn.catch(() => {});
    const [packet] = await turn;
    await this.#options.send(channel, topic, packet, to);
    return channel;
  }

  #addChat(from: string, packet: ChatPacket, place: string | null): void {
    const { clock, nameOf, placeOf, me } = this.#options;
    // The time of arrival, since the sender's clock may be wrong.
    const message: ChatMessage = {
      id: packet.id,
      from,
      name: nameOf(from),
      text: packet.text,
      sentAt: clock.now(),
      mine: from === me,
      place: placeOf(place),
    };
    this.#chat.update((messages) =>
      // A replayed packet carries an id that its sender has used before.
      messages.some((other) => other.id === message.id && other.from === from)
        ? messages
        : withMessage(messages, message),
    );
  }

  #addReaction(from: string, emoji: ReactionEmoji): void {
    const { clock, nameOf } = this.#options;
    this.#reactionCount += 1;
    const reaction: Reaction = { id: this.#reactionCount, from, name: nameOf(from), emoji };
    this.#reactions.update((reactions) => [...reactions, reaction].slice(-reactionLimit));
    clock.after(reactionTime, () =>
      this.#reactions.update((reactions) =>
        reactions.includes(reaction) ? reactions.filter((one) => one !== reaction) : reactions,
      ),
    );
  }
}
