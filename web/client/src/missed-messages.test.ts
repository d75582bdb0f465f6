import { expect, test } from "vitest";
import { MissedMessages } from "./missed-messages.js";
import { HandClock } from "./testing/hand-clock.js";

const ada = "guest_ada.x7q2m1";
const bob = "guest_bob.k3v9p0";
const cleo = "guest_cleo.p0o9i8";

/** A device in the main room, and what it sends again: "text to identities". */
function inMainRoom() {
  const clock = new HandClock();
  const sent: string[] = [];
  const state = { isConnected: true, readers: null as ReadonlySet<string> | null };
  const missed = new MissedMessages({
    clock,
    readers: () => state.readers,
    send: ({ text }, to) => {
      if (!state.isConnected) return Promise.reject(new Error("not connected"));
      sent.push(`${text} to ${to.join()}`);
      return Promise.resolve();
    },
  });
  const say = (text: string, place: string | null = null, to = [ada, bob]) =>
    missed.add({ id: text, text, sent_at: "2026-01-01T00:00:00Z" }, place, to);
  /** What was sent since the last call, after a time. */
  const sentAfter = (milliseconds: number) => {
    clock.pass(milliseconds);
    return sent.splice(0);
  };
  missed.enter(null);
  return { clock, missed, say, sentAfter, state };
}

test("a person who can be reached again is sent what they were sent in the last minute", () => {
  const { clock, missed, say, sentAfter } = inMainRoom();
  say("one");
  clock.pass(1000);
  say("two");
  missed.reachable(null, ada);
  expect(sentAfter(200)).toEqual([`one to ${ada}`, `two to ${ada}`]);

  clock.pass(58_599);
  missed.reachable(null, ada);
  expect(sentAfter(200)).toEqual([`one to ${ada}`, `two to ${ada}`]); // a millisecond before its minute
  missed.reachable(null, bob);
  expect(sentAfter(200)).toEqual([`two to ${bob}`]);
  clock.pass(1000);
  missed.reachable(null, ada);
  expect(sentAfter(3000)).toEqual([]);
});

test("people who come back together are sent a message in one packet", () => {
  const { missed, say, sentAfter } = inMainRoom();
  say("one");
  missed.reachable(null, ada);
  missed.reachable(null, bob);
  expect(sentAfter(200)).toEqual([`one to ${ada},${bob}`]);
});

test("a person who comes later is not sent what was written before", () => {
  const { missed, say, sentAfter } = inMainRoom();
  say("one");
  missed.reachable(null, cleo);
  expect(sentAfter(200)).toEqual([]);
  say("two", null, [ada, bob, cleo]);
  missed.reachable(null, cleo);
  expect(sentAfter(200)).toEqual([`two to ${cleo}`]);
});

test("a device that connects again repeats what it sent in this room, not in another", () => {
  const { missed, say, sentAfter } = inMainRoom();
  say("for all");
  missed.enter("r1");
  say("for room 1", "r1", [ada]);
  missed.reachable(null, bob); // in the room before
  expect(sentAfter(200)).toEqual([]);
  missed.enter("r1");
  expect(sentAfter(200)).toEqual([`for room 1 to ${ada}`]);
  missed.enter(null);
  expect(sentAfter(200)).toEqual([`for all to ${bob}`]); // Ada was sent something just now
  for (let second = 0; second < 2; second += 1) expect(sentAfter(1000)).toEqual([]);
  expect(sentAfter(1000)).toEqual([`for all to ${ada}`]);
});

test("the minute does not go on while the device has no connection", () => {
  const { clock, missed, say, sentAfter } = inMainRoom();
  say("one");
  clock.pass(10_000);
  missed.left();
  clock.pass(3_600_000);
  missed.left();
  missed.enter(null);
  expect(sentAfter(200)).toEqual([`one to ${ada},${bob}`]);
  clock.pass(49_800);
  missed.reachable(null, ada);
  expect(sentAfter(200)).toEqual([]);
});

test("a person who comes back again and again is sent messages every three seconds at most", () => {
  const { missed, say, sentAfter } = inMainRoom();
  say("one");
  missed.reachable(null, ada);
  expect(sentAfter(200)).toEqual([`one to ${ada}`]);
  missed.reachable(null, ada);
  expect(sentAfter(200)).toEqual([]);
  expect(sentAfter(1000)).toEqual([]);
  expect(sentAfter(1000)).toEqual([]);
  expect(sentAfter(1000)).toEqual([`one to ${ada}`]);
  expect(sentAfter(1000)).toEqual([]);
});

test("a repetition that fails is tried again a second later", async () => {
  const { clock, missed, say, sentAfter, state } = inMainRoom();
  say("one");
  say("two");
  state.isConnected = false;
  missed.reachable(null, bob);
  expect(sentAfter(200)).toEqual([]);
  await clock.started(1, 1000);
  state.isConnected = true;
  expect(sentAfter(1000)).toEqual([`one to ${bob}`, `two to ${bob}`]);
});

test("nothing is repeated with keys of somebody who was not sent the message, until they are gone", () => {
  const { clock, missed, say, sentAfter, state } = inMainRoom();
  say("one");
  state.readers = new Set([ada, bob, cleo]);
  missed.reachable(null, ada);
  expect(sentAfter(200)).toEqual([]);
  clock.pass(30_000);
  state.readers = new Set([ada, bob]);
  missed.readersChanged();
  expect(sentAfter(200)).toEqual([`one to ${ada}`]);
});

test("a person without the keys is sent messages when they have got them", () => {
  const { missed, say, sentAfter, state } = inMainRoom();
  say("one");
  state.readers = new Set([ada]);
  missed.reachable(null, bob);
  missed.reachable(null, ada);
  expect(sentAfter(200)).toEqual([`one to ${ada}`]);
  expect(sentAfter(1000)).toEqual([]);
  state.readers = new Set([ada, bob]);
  expect(sentAfter(1000)).toEqual([`one to ${bob}`]);
});

test("a new message is sent again to somebody who lacked the keys when it was written", () => {
  const { say, sentAfter, state } = inMainRoom();
  state.readers = new Set([ada]);
  say("one");
  expect(sentAfter(1000)).toEqual([]);
  state.readers = new Set([ada, bob]);
  expect(sentAfter(1000)).toEqual([`one to ${bob}`]);
});

test("what was written after somebody came back is sent again when the keys change", () => {
  const { clock, missed, say, sentAfter } = inMainRoom();
  missed.reachable(null, ada);
  expect(sentAfter(200)).toEqual([]);
  say("one");
  missed.readersChanged();
  expect(sentAfter(200)).toEqual([`one to ${ada}`]);
  clock.pass(59_000);
  say("two");
  clock.pass(800); // a minute after Ada came back
  missed.readersChanged();
  expect(sentAfter(200)).toEqual([]);
});

test("a message that was handed over when the connection ended is repeated", () => {
  const { clock, missed, say, sentAfter } = inMainRoom();
  missed.left();
  clock.pass(10);
  say("one");
  clock.pass(100_000);
  missed.enter(null);
  expect(sentAfter(200)).toEqual([`one to ${ada},${bob}`]);
});

test("a clock that is set back delays nothing", () => {
  const { clock, missed, say, sentAfter } = inMainRoom();
  clock.pass(100_000);
  say("one");
  missed.back();
  expect(sentAfter(200)).toEqual([`one to ${ada},${bob}`]);
  clock.pass(-90_000);
  missed.reachable(null, ada);
  expect(sentAfter(200)).toEqual([`one to ${ada}`]);
});

test("the newest ten messages are repeated", () => {
  const { missed, say, sentAfter } = inMainRoom();
  for (let count = 1; count <= 11; count += 1) say(`message ${count}`);
  missed.reachable(null, ada);
  const sent = sentAfter(200);
  expect([sent.length, sent[0]]).toEqual([10, `message 2 to ${ada}`]);
});

test("a packet names at most a hundred people", () => {
  const { missed, say, sentAfter } = inMainRoom();
  const many = Array.from({ length: 101 }, (_, index) => `guest_${index}.a`);
  say("one", null, many);
  for (const identity of many) missed.reachable(null, identity);
  const named = sentAfter(200).map((line) => line.split(",").length);
  expect(named).toEqual([100, 1]);
});

test("nothing is repeated while there is no connection, nor after the meeting", () => {
  const { clock, missed, say, sentAfter } = inMainRoom();
  say("one");
  missed.reachable(null, ada);
  missed.left();
  missed.reachable(null, bob);
  missed.readersChanged();
  expect(sentAfter(1000)).toEqual([]);
  missed.enter(null);
  missed.close();
  expect(sentAfter(1000)).toEqual([]);
  missed.reachable(null, ada);
  expect(clock.isIdle).toBe(true);
});
