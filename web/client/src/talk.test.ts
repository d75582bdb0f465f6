import { afterEach, beforeEach, expect, type Mock, test, vi } from "vitest";
import { mainRoom } from "./breakouts.js";
import { chatTopic, passphraseEnvelopes, reactionTopic } from "./envelope.js";
import { type Channel, Talk } from "./talk.js";
import { HandClock } from "./testing/hand-clock.js";

const ada = "guest_ada.x7q2m1";
const mallory = "guest_mallory.k3v9p0";
const flood = 10_000;

let opened: Mock<typeof crypto.subtle.decrypt>;
beforeEach(() => {
  opened = vi.spyOn(crypto.subtle, "decrypt");
});
afterEach(() => opened.mockRestore());

/** A device in a room where everybody may chat, and what others send it. */
async function hear(isListed: (identity: string) => boolean = () => true) {
  const clock = new HandClock();
  const envelopes = await passphraseEnvelopes("a passphrase");
  const channel: Channel = { place: null, envelopes, group: null };
  const talk = new Talk({
    clock,
    me: "guest_me.a1b2c3",
    nameOf: (identity) => identity,
    isListed,
    placeOf: () => mainRoom,
    listedIn: () => [],
    allows: () => ({ chat: true, reactions: true }),
    send: () => Promise.resolve(),
  });
  talk.enter(channel);
  let count = 0;
  const chat = (from: string, text: string) => {
    count += 1;
    const message = { id: `message ${count}`, text, sent_at: "2026-01-01T00:00:00Z" };
    return envelopes.seal(chatTopic, from, message);
  };
  const reaction = (from: string) => envelopes.seal(reactionTopic, from, { emoji: "👏" });
  const arrive = (from: string, topic: string, packets: readonly Uint8Array[]) =>
    Promise.all(packets.map((packet) => talk.receive(channel, from, topic, packet)));
  const from = (sender: string) => ({
    messages: talk.chat.get().filter((message) => message.from === sender).length,
    reactions: talk.reactions.get().filter((reaction) => reaction.from === sender).length,
  });
  return { clock, talk, chat, reaction, arrive, from };
}

/** A number of packets, made by repeating the given ones. */
function repeated(packets: readonly Uint8Array[]): readonly Uint8Array[] {
  return Array.from({ length: flood }, (_, index) => packets[index % packets.length]).filter(
    (packet) => packet !== undefined,
  );
}

test("a flood of chat opens few envelopes and does not drown other people's messages", async () => {
  const { clock, chat, arrive, from } = await hear();
  const texts = Array.from({ length: 100 }, (_, index) => `flood ${index}`);
  const packets = await Promise.all(texts.map((text) => chat(mallory, text)));
  await Promise.all([
    arrive(mallory, chatTopic, repeated(packets)),
    arrive(ada, chatTopic, [await chat(ada, "Can you hear me?")]),
  ]);
  expect(opened.mock.calls.length).toBeLessThanOrEqual(21);
  expect(from(mallory).messages).toBeLessThanOrEqual(20);
  expect(from(ada).messages).toBe(1);

  clock.pass(2000);
  await arrive(mallory, chatTopic, [await chat(mallory, "I am sorry")]);
  expect(from(mallory).messages).toBe(21);
});

test("however long a flood lasts, it pushes out only messages of its sender", async () => {
  const { clock, talk, chat, arrive, from } = await hear();
  await arrive(ada, chatTopic, [await chat(ada, "The number is 4711")]);
  for (let sent = 0; sent < 1200; sent += 20) {
    const device = `guest_mallory.${sent}`;
    const texts = Array.from({ length: 20 }, (_, index) => chat(device, `flood ${sent + index}`));
    await arrive(device, chatTopic, await Promise.all(texts));
    clock.pass(2000);
  }
  expect(talk.chat.get()).toHaveLength(1000);
  expect(from(ada).messages).toBe(1);
  expect(talk.chat.get().at(-1)?.text).toBe("flood 1199");
});

test("a flood of reactions opens few envelopes and hides neither others' reactions nor chat", async () => {
  const { clock, talk, chat, reaction, arrive, from } = await hear();
  const packets = repeated([await reaction(mallory)]);
  await arrive(mallory, reactionTopic, packets);
  await arrive(ada, reactionTopic, [await reaction(ada)]);
  await arrive(mallory, chatTopic, [await chat(mallory, "My cat sits on the keyboard")]);
  expect(opened.mock.calls.length).toBeLessThanOrEqual(22);
  expect(from(ada).reactions).toBe(1);
  expect(from(mallory)).toEqual({ messages: 1, reactions: 20 });

  clock.pass(5000);
  expect(talk.reactions.get()).toEqual([]);
});

test("at most the newest fifty reactions are shown at a time", async () => {
  const { clock, talk, reaction, arrive, from } = await hear();
  const crowd = Array.from({ length: 60 }, (_, index) => `guest_${index}.a`);
  for (const person of crowd) await arrive(person, reactionTopic, [await reaction(person)]);
  expect(talk.reactions.get()).toHaveLength(50);
  expect(from("guest_9.a").reactions).toBe(0);
  expect(from("guest_10.a").reactions).toBe(1);

  clock.pass(3000);
  await arrive(ada, reactionTopic, [await reaction(ada)]);
  clock.pass(2000);
  expect(talk.reactions.get().map(({ from }) => from)).toEqual([ada]);
});

test("an envelope that cannot be opened counts as well", async () => {
  const { chat, arrive } = await hear();
  const forged = await chat(ada, "I am Ada");
  await arrive(mallory, chatTopic, repeated([forged]));
  expect(opened.mock.calls.length).toBeLessThanOrEqual(20);
});

test("the person's own messages are not limited", async () => {
  const { talk } = await hear();
  for (let index = 0; index < 30; index += 1) await talk.sendChat(`line ${index}`);
  expect(talk.chat.get()).toHaveLength(30);
});

test("messages of a person who is not in the list are shown once they are in it", async () => {
  const list = new Set<string>();
  const { talk, chat, reaction, arrive, from } = await hear((identity) => list.has(identity));
  await arrive(ada, chatTopic, [await chat(ada, "I have just come in")]);
  await arrive(ada, reactionTopic, [await reaction(ada)]);
  await arrive(mallory, chatTopic, [await chat(mallory, "I am not here")]);
  expect(from(ada)).toEqual({ messages: 0, reactions: 0 });
  list.add(ada);
  talk.listChanged();
  expect(from(ada)).toEqual({ messages: 1, reactions: 1 });
  expect(from(mallory)).toEqual({ messages: 0, reactions: 0 });
  talk.listChanged();
  expect(from(ada)).toEqual({ messages: 1, reactions: 1 });
});

test("messages sent long before their sender was in the list are never shown", async () => {
  const list = new Set<string>();
  const { clock, talk, chat, arrive, from } = await hear((identity) => list.has(identity));
  await arrive(ada, chatTopic, [await chat(ada, "too early")]);
  clock.pass(30_000);
  list.add(ada);
  talk.listChanged();
  expect(from(ada).messages).toBe(0);
});
