import { expect, test } from "vitest";
import { chatTopic, type Envelopes } from "./envelope.js";
import { type Channel, Talk } from "./talk.js";
import { HandClock } from "./testing/hand-clock.js";
import { Mailbox } from "./testing/mailbox.js";

const me = "guest_me.a1b2c3";
const ada = "guest_ada.x7q2m1";
const bob = "guest_bob.k3v9p0";

/** Messages that everybody can read. */
const envelopes: Envelopes = {
  seal: async (_topic, _sender, message) => new TextEncoder().encode(JSON.stringify(message)),
  open: async (_topic, _sender, packet) => JSON.parse(new TextDecoder().decode(packet)) as unknown,
};

/** A device in the main room with Ada; Bob is in breakout room r1. */
function withAda() {
  const clock = new HandClock();
  const sent = new Mailbox<{ id: string; text: string; to: readonly string[] | null }>();
  const channelOf = (place: string | null): Channel => ({ place, envelopes, group: null });
  const state = { isConnected: true };
  const talk = new Talk({
    clock,
    me,
    nameOf: (identity) => identity,
    isListed: () => true,
    placeOf: (breakoutId) => ({ breakoutId, name: null }),
    listedIn: (place) => (place === null ? [me, ada] : [bob]),
    allows: () => ({ chat: true, reactions: true }),
    send: async (_channel, _topic, packet, to) => {
      if (!state.isConnected) throw new Error("not connected");
      const { id, text } = JSON.parse(new TextDecoder().decode(packet));
      sent.put({ id, text, to });
    },
  });
  talk.enter(channelOf(null));
  return { clock, talk, channelOf, sent, state };
}

test("a message is sent again under its id to those who were in the room", async () => {
  const { clock, talk, sent } = withAda();
  await talk.sendChat("one");
  const first = await sent.next();
  for (const identity of [ada, bob]) talk.reachable(null, identity);
  clock.pass(200);
  expect(await sent.next()).toEqual({ ...first, to: [ada] });
  expect(first.to).toBeNull();
});

test("a device that was away sends its messages again when it is back", async () => {
  const { clock, talk, channelOf, sent } = withAda();
  await talk.sendChat("one");
  const first = await sent.next();
  talk.left();
  clock.pass(100_000);
  talk.enter(channelOf(null));
  clock.pass(200);
  expect(await sent.next()).toEqual({ ...first, to: [ada] });
});

test("a message that was not sent is not sent again", async () => {
  const { clock, talk, sent, state } = withAda();
  state.isConnected = false;
  await expect(talk.sendChat("one")).rejects.toThrow("not connected");
  state.isConnected = true;
  talk.reachable(null, ada);
  clock.pass(200);
  await talk.sendChat("two");
  expect((await sent.next()).text).toBe("two");
});

test("a message that arrives again is shown once", async () => {
  const { talk, channelOf } = withAda();
  const packet = { id: "message 1", text: "once", sent_at: "2026-01-01T00:00:00Z" };
  for (let time = 0; time < 2; time += 1) {
    const sealed = await envelopes.seal(chatTopic, ada, packet);
    await talk.receive(channelOf(null), ada, chatTopic, sealed);
  }
  expect(talk.chat.get().map(({ text }) => text)).toEqual(["once"]);
});
