import type { Person } from "@conclave/client";
import { expect, test } from "vitest";
import { fakePerson } from "../../../dev/fake-person";
import { choicesAbout, type Onlooker } from "./person-choices";

const person = (more: Partial<Person> = {}) => fakePerson("a", more);

const host: Onlooker = {
  powers: "host",
  mayRename: false,
  isWebinar: false,
  pinned: null,
  hasBreakouts: false,
  isSpotlightFull: false,
};
const cohost: Onlooker = { ...host, powers: "cohost" };
const webinarHost: Onlooker = { ...host, isWebinar: true };

test("a host is offered everything that would change something", () => {
  expect(choicesAbout(person(), host)).toEqual([
    "pin",
    "spotlight",
    "mute",
    "makeCohost",
    "remove",
  ]);
  expect(choicesAbout(person({ microphone: false }), { ...host, pinned: "a" })).toEqual([
    "unpin",
    "spotlight",
    "askToUnmute",
    "makeCohost",
    "remove",
  ]);
  expect(choicesAbout(person({ role: "host", cohost: true }), host)).toContain("removeCohost");
});

test("nobody can make one of the room's own hosts a co-host, or end that role", () => {
  expect(choicesAbout(person({ role: "host" }), host)).toEqual([
    "pin",
    "spotlight",
    "mute",
    "remove",
  ]);
});

test("a co-host mutes and removes, and participants only pin", () => {
  expect(choicesAbout(person(), cohost)).toEqual(["pin", "spotlight", "mute", "remove"]);
  expect(choicesAbout(person(), { ...host, powers: "none" })).toEqual([]);
  expect(choicesAbout(person({ isMe: true }), host)).toEqual(["spotlight"]);
  expect(choicesAbout(person({ isMe: true }), { ...host, powers: "none" })).toEqual([]);
});

test("people who may rename themselves can change only their own name", () => {
  const me = person({ isMe: true });
  const named: Onlooker = { ...host, mayRename: true };
  expect(choicesAbout(me, { ...named, powers: "none" })).toEqual(["rename"]);
  expect(choicesAbout(me, named)).toEqual(["rename", "spotlight"]);
  expect(choicesAbout(person(), named)).not.toContain("rename");
});

test("a co-host mutes the room's own hosts, and neither removes nor moves them", () => {
  const directing = { ...cohost, hasBreakouts: true };
  expect(choicesAbout(person({ role: "host" }), directing)).toEqual(["pin", "spotlight", "mute"]);
  expect(choicesAbout(person({ role: "host", cohost: true }), directing)).toEqual([
    "pin",
    "spotlight",
    "mute",
    "moveToRoom",
    "remove",
  ]);
});

test("a camera that is on can be stopped, and a raised hand lowered, wherever the person is", () => {
  const camera = { id: "t", attach: () => () => {}, paused: false };
  expect(choicesAbout(person({ camera, handRaised: true }), cohost)).toEqual([
    "pin",
    "spotlight",
    "mute",
    "stopCamera",
    "lowerHand",
    "remove",
  ]);
  const elsewhere = person({ isHere: false, microphone: false, handRaised: true });
  expect(choicesAbout(elsewhere, cohost)).toEqual(["lowerHand", "remove"]);
});

test("nobody can be added to a full spotlight, and the people in it can be removed", () => {
  const full = { ...cohost, isSpotlightFull: true };
  expect(choicesAbout(person(), full)).toEqual(["pin", "mute", "remove"]);
  const spotlitAt = "2026-01-01T00:00:00.000Z";
  expect(choicesAbout(person({ spotlitAt }), full)).toEqual([
    "pin",
    "removeSpotlight",
    "mute",
    "remove",
  ]);
  const elsewhere = person({ spotlitAt, isHere: false, microphone: false });
  expect(choicesAbout(elsewhere, full)).toEqual(["removeSpotlight", "remove"]);
  expect(choicesAbout(person({ spotlitAt, isMe: true }), full)).toEqual(["removeSpotlight"]);
});

test("in a breakout room of a webinar everybody may speak", () => {
  const inBreakout = person({ breakoutId: "r1", microphone: false });
  expect(choicesAbout(inBreakout, { ...webinarHost, hasBreakouts: true })).toEqual([
    "pin",
    "spotlight",
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
  expect(choicesAbout(person(), directing)).toEqual([
    "pin",
    "spotlight",
    "mute",
    "moveToRoom",
    "remove",
  ]);
});

test("in a webinar the audience can be invited to the stage, and speakers moved back", () => {
  const silent = person({ microphone: false });
  expect(choicesAbout(silent, webinarHost)).toEqual(["makeCohost", "inviteToStage", "remove"]);
  expect(choicesAbout(person({ onStage: true }), webinarHost)).toContain("moveToAudience");
  expect(choicesAbout(person({ role: "host", cohost: true }), webinarHost)).toEqual([
    "pin",
    "spotlight",
    "mute",
    "removeCohost",
    "remove",
  ]);
});
