import type { Person } from "@conclave/client";
import { expect, test } from "vitest";
import { fakePerson } from "../../../dev/fake-person";
import { choicesAbout, type Onlooker } from "./person-choices";

const person = (more: Partial<Person> = {}) => fakePerson("a", more);

const host: Onlooker = { powers: "host", isWebinar: false, pinned: null, hasBreakouts: false };
const cohost: Onlooker = { ...host, powers: "cohost" };
const webinarHost: Onlooker = { ...host, isWebinar: true };

test("a host is offered everything that would change something", () => {
  expect(choicesAbout(person(), host)).toEqual(["pin", "mute", "makeCohost", "remove"]);
  expect(choicesAbout(person({ microphone: false }), { ...host, pinned: "a" })).toEqual([
    "unpin",
    "askToUnmute",
    "makeCohost",
    "remove",
  ]);
  expect(choicesAbout(person({ role: "host", cohost: true }), host)).toContain("removeCohost");
});

test("nobody can make one of the room's own hosts a co-host, or end that role", () => {
  expect(choicesAbout(person({ role: "host" }), host)).toEqual(["pin", "mute", "remove"]);
});

test("a co-host mutes and removes, and participants only pin", () => {
  expect(choicesAbout(person(), cohost)).toEqual(["pin", "mute", "remove"]);
  expect(choicesAbout(person(), { ...host, powers: "none" })).toEqual([]);
  expect(choicesAbout(person({ isMe: true }), host)).toEqual([]);
});

test("a co-host mutes the room's own hosts, and neither removes nor moves them", () => {
  const directing = { ...cohost, hasBreakouts: true };
  expect(choicesAbout(person({ role: "host" }), directing)).toEqual(["pin", "mute"]);
  expect(choicesAbout(person({ role: "host", cohost: true }), directing)).toEqual([
    "pin",
    "mute",
    "moveToRoom",
    "remove",
  ]);
});

test("a camera that is on can be stopped, and a raised hand lowered, wherever the person is", () => {
  const camera = { id: "t", attach: () => () => {}, paused: false };
  expect(choicesAbout(person({ camera, handRaised: true }), cohost)).toEqual([
    "pin",
    "mute",
    "stopCamera",
    "lowerHand",
    "remove",
  ]);
  const elsewhere = person({ isHere: false, microphone: false, handRaised: true });
  expect(choicesAbout(elsewhere, cohost)).toEqual(["lowerHand", "remove"]);
});

test("in a breakout room of a webinar everybody may speak", () => {
  const inBreakout = person({ breakoutId: "r1", microphone: false });
  expect(choicesAbout(inBreakout, { ...webinarHost, hasBreakouts: true })).toEqual([
    "pin",
    "askToUnmute",
    "makeCohost",
    "inviteToStage",
    "moveToRoom",
    "remove",
  ]);
});

test("while breakout rooms are open, people can be moved, and only people here can be pinned", () => {
  const elsewhere = person({ breakoutId: "r1", isHere: false, microphone: false });
  const directing = { ...cohost, hasBreakouts: true };
  expect(choicesAbout(elsewhere, directing)).toEqual(["moveToRoom", "remove"]);
  expect(choicesAbout(person(), directing)).toEqual(["pin", "mute", "moveToRoom", "remove"]);
});

test("in a webinar the audience can be invited to the stage, and speakers moved back", () => {
  const silent = person({ microphone: false });
  expect(choicesAbout(silent, webinarHost)).toEqual(["makeCohost", "inviteToStage", "remove"]);
  expect(choicesAbout(person({ onStage: true }), webinarHost)).toContain("moveToAudience");
  expect(choicesAbout(person({ role: "host", cohost: true }), webinarHost)).toEqual([
    "pin",
    "mute",
    "removeCohost",
    "remove",
  ]);
});
