import { expect, test } from "vitest";
import { HandClock } from "../testing/hand-clock.js";
import { EpochKeys } from "./epoch-keys.js";

function playKeys() {
  const clock = new HandClock();
  const log: string[] = [];
  const keys = new EpochKeys(clock, {
    onInstall: ({ groupId, epoch, index }, senders) =>
      log.push(
        `install ${groupId}${epoch}@${index} ${senders.map((one) => one.identity).join("")}`,
      ),
    onAcknowledge: ({ group_id, epoch }) => log.push(`acknowledge ${group_id}${epoch}`),
    onSend: (epoch) => log.push(epoch ? `send ${epoch.groupId}${epoch.epoch}` : "hold"),
    onErase: ({ groupId, epoch, index }) => log.push(`erase ${groupId}${epoch}@${index}`),
  });
  const enter = (group: string, epoch: number, who: string) => {
    const senders = [...who].map((identity) => ({
      identity,
      media: new Uint8Array(32),
      data: new Uint8Array(32),
    }));
    keys.enter(group, epoch, senders, "a");
  };
  const taken = () => log.splice(0);
  const hear = (who: string, group: string, epoch: number) =>
    keys.acknowledged(who, { group_id: group, epoch });
  return { clock, keys, enter, taken, hear };
}

test("a device alone sends at once", () => {
  const { enter, taken } = playKeys();
  enter("g", 0, "a");
  expect(taken()).toEqual(["install g0@0 a", "acknowledge g0", "send g0"]);
});

test("a device that sent nothing before sends at once, since it leaves no gap", () => {
  const { enter, taken } = playKeys();
  enter("g", 3, "abc");
  expect(taken()).toEqual(["install g3@3 abc", "acknowledge g3", "send g3"]);
});

test("a sender does not wait for a device that cannot open what it sends", () => {
  const { enter, taken, hear } = playKeys();
  enter("g", 3, "ab");
  taken();
  enter("g", 4, "abc");
  expect(taken()).toEqual(["install g4@4 abc", "acknowledge g4"]);
  hear("b", "g", 4);
  expect(taken()).toEqual(["send g4"]);
  // It still sends in epoch 4, which c opens.
  enter("g", 5, "ab");
  enter("g", 6, "abc");
  hear("b", "g", 6);
  expect(taken()).not.toContain("send g6");
  hear("c", "g", 6);
  expect(taken()).toContain("send g6");
});

test("a sender switches when all who stayed have acknowledged", () => {
  const { enter, taken, hear } = playKeys();
  enter("g", 2, "abc");
  taken();
  enter("g", 3, "abc");
  hear("b", "g", 3);
  hear("b", "g", 3);
  hear("c", "g", 2);
  hear("c", "x", 3);
  expect(taken()).toEqual(["install g3@3 abc", "acknowledge g3"]);
  hear("c", "g", 3);
  expect(taken()).toEqual(["send g3"]);
});

test("a sender waits no longer than a second", () => {
  const { clock, enter, taken } = playKeys();
  enter("g", 2, "abc");
  enter("g", 3, "abc");
  taken();
  clock.pass(999);
  expect(taken()).toEqual([]);
  clock.pass(1);
  expect(taken()).toEqual(["send g3"]);
});

test("acknowledgements that come before the commit count", () => {
  const { enter, taken, hear } = playKeys();
  enter("g", 3, "abc");
  hear("b", "g", 4);
  hear("c", "g", 4);
  enter("g", 4, "abc");
  expect(taken()).toContain("send g4");
});

test("epochs that follow each other quickly do not put the switch off", () => {
  const { clock, enter, taken } = playKeys();
  enter("g", 0, "a");
  enter("g", 1, "ab");
  for (let epoch = 2; epoch < 7; epoch += 1) {
    clock.pass(250);
    enter("g", epoch, "ab");
  }
  expect(taken().filter((line) => line.startsWith("send"))).toEqual([
    ...["send g0", "send g1", "send g5"],
  ]);
});

test("the keys of an epoch are erased ten seconds after the next has begun", () => {
  const { clock, enter, taken } = playKeys();
  enter("g", 0, "a");
  clock.pass(60_000);
  enter("g", 1, "a");
  taken();
  clock.pass(9999);
  expect(taken()).toEqual([]);
  clock.pass(1);
  expect(taken()).toEqual(["erase g0@0"]);
});

test("an index that another group has taken is not erased", () => {
  const { clock, enter, taken, keys } = playKeys();
  enter("g", 0, "a");
  keys.leave();
  enter("h", 0, "a");
  taken();
  clock.pass(20_000);
  expect(taken()).toEqual([]);
  enter("h", 256, "a");
  taken();
  clock.pass(20_000);
  expect(taken()).toEqual([]);
});

test("a held device sends nothing until the next epoch", () => {
  const { clock, enter, taken, keys, hear } = playKeys();
  enter("g", 0, "ab");
  hear("b", "g", 0);
  taken();
  keys.hold();
  keys.hold();
  expect(taken()).toEqual(["hold"]);
  clock.pass(5000);
  expect(taken()).toEqual([]);
  enter("g", 1, "ab");
  hear("b", "g", 1);
  expect(taken()).toContain("send g1");
});

test("an acknowledgement that comes late does not make a held device send", () => {
  const { enter, taken, keys, hear } = playKeys();
  enter("g", 0, "ab");
  enter("g", 1, "ab");
  keys.hold();
  taken();
  hear("b", "g", 1);
  expect(taken()).toEqual([]);
  keys.resume();
  expect(taken()).toEqual(["send g1"]);
});

test("a held device goes on when the group has not left the epoch after all", () => {
  const { enter, taken, keys, hear } = playKeys();
  enter("g", 0, "ab");
  hear("b", "g", 0);
  keys.resume();
  expect(taken()).toEqual(["install g0@0 ab", "acknowledge g0", "send g0"]);
  keys.hold();
  keys.resume();
  keys.resume();
  expect(taken()).toEqual(["hold", "send g0"]);
  keys.leave();
  keys.resume();
  expect(taken()).toEqual(["hold"]);
});

test("a device that leaves stops sending, and closing erases everything", () => {
  const { clock, enter, taken, keys } = playKeys();
  enter("g", 0, "a");
  enter("g", 1, "a");
  taken();
  keys.leave();
  expect(taken()).toEqual(["hold"]);
  keys.close();
  expect(taken().sort()).toEqual(["erase g0@0", "erase g1@1"]);
  clock.pass(20_000);
  expect(taken()).toEqual([]);
});

test("early acknowledgements are kept for a limited number of epochs", () => {
  const { enter, taken, hear } = playKeys();
  enter("g", 0, "ab");
  for (let epoch = 1; epoch < 11; epoch += 1) hear("b", "g", epoch);
  enter("g", 1, "ab");
  expect(taken()).not.toContain("send g1");
  enter("g", 9, "ab");
  expect(taken()).toContain("send g9");
});
