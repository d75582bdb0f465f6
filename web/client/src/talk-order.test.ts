import { expect, test } from "vitest";
import { mainRoom } from "./breakouts.js";
import { chatTopic, type Envelopes } from "./envelope.js";
import { type Channel, Talk } from "./talk.js";
import { HandClock } from "./testing/hand-clock.js";

const ada = "guest_ada.x7q2m1";

/** Envelopes that are open or sealed when the test says so, in whatever order. */
class SlowEnvelopes implements Envelopes {
  readonly #waiting = new Map<unknown, () => void>();

  readonly open = (_topic: string, _sender: string, packet: Uint8Array) =>
    this.#until(packet, {
      id: `message ${packet.at(-1)}`,
      text: `text ${packet.at(-1)}`,
      sent_at: "2026-01-01T00:00:00Z",
    });

  readonly seal = (_topic: string, _sender: string, message: unknown) =>
    this.#until((message as { text: string }).text, new TextEncoder().encode(textOf(message)));

  finish(packetOrText: unknown): void {
    this.#waiting.get(packetOrText)?.();
  }

  #until<T>(what: unknown, result: T): Promise<T> {
    return new Promise((resolve) => this.#waiting.set(what, () => resolve(result)));
  }
}

const textOf = (message: unknown) => (message as { text: string }).text;

/** An envelope of an epoch of a strict meeting (version 2), or of a standard one (version 1). */
const packetOf = (text: number, epoch: number | null = null) =>
  new Uint8Array(epoch === null ? [1, 0, 0, 0, 0, text] : [2, 0, 0, 0, epoch, text]);

function begin() {
  const envelopes = new SlowEnvelopes();
  const channel: Channel = { place: null, envelopes, group: null };
  const sent: string[] = [];
  const talk = new Talk({
    clock: new HandClock(),
    me: "guest_me.a1b2c3",
    nameOf: (identity) => identity,
    isListed: () => true,
    placeOf: () => mainRoom,
    listedIn: () => [],
    allows: () => ({ chat: true, reactions: true }),
    send: (_channel, _topic, packet) => {
      sent.push(new TextDecoder().decode(packet));
      return Promise.resolve();
    },
  });
  talk.enter(channel);
  const shown = () => talk.chat.get().map((message) => message.text);
  const arrive = (packet: Uint8Array) => talk.receive(channel, ada, chatTopic, packet);
  return { envelopes, talk, sent, shown, arrive };
}

test("messages of a sender are shown in the order in which they came, whichever opens first", async () => {
  const { envelopes, shown, arrive } = begin();
  const packets = [packetOf(1), packetOf(2)];
  const arrived = Promise.all(packets.map(arrive));
  envelopes.finish(packets[1]);
  envelopes.finish(packets[0]);
  await arrived;
  expect(shown()).toEqual(["text 1", "text 2"]);
});

test("a message of an epoch whose keys never come does not hold up those of the next epoch", async () => {
  const { envelopes, shown, arrive } = begin();
  void arrive(packetOf(1, 5));
  const next = packetOf(2, 6);
  const arrived = arrive(next);
  envelopes.finish(next);
  await arrived;
  expect(shown()).toEqual(["text 2"]);
});

test("messages are sent and listed in the order in which they were written, whichever is sealed first", async () => {
  const { envelopes, talk, sent, shown } = begin();
  const written = Promise.all([talk.sendChat("first"), talk.sendChat("second")]);
  envelopes.finish("second");
  envelopes.finish("first");
  await written;
  expect(sent).toEqual(["first", "second"]);
  expect(shown()).toEqual(["first", "second"]);
});

test("a message that cannot be sealed does not hold up the next one", async () => {
  const { envelopes, talk, sent } = begin();
  const seal = envelopes.seal;
  Object.assign(envelopes, { seal: () => Promise.reject(new Error("no keys")) });
  await expect(talk.sendChat("first")).rejects.toThrow("no keys");
  Object.assign(envelopes, { seal });
  const written = talk.sendChat("second");
  envelopes.finish("second");
  await written;
  expect(sent).toEqual(["second"]);
});
