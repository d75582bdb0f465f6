import type { Browser, Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { isIn, openBreakouts, openSession } from "./breakout-rooms";
import { say } from "./chatting";
import { Crowd } from "./crowd";
import {
  areSideBySide,
  isFilledDangerously,
  isInLongPart,
  isWhollyShown,
  looksDangerous,
} from "./looks";
import { closePeople, openBrowser, Person, part, soon } from "./people";
import { playScreen } from "./played-camera";
import { type Room, ServiceUnderTest } from "./service";

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

afterEach((context) => closePeople(browser, context));

const asked = "A host has given you a room";
const active = (room: Room) => openSession(service, room);
const open = (room: Room, placed: Record<string, number>, more: object = {}) =>
  openBreakouts(service, room, placed, more);

/** Hedy is a host; the others are not. */
async function meeting(...names: string[]): Promise<{ room: Room; people: Person[] }> {
  const room = await service.makeRoom();
  const people: Person[] = [];
  for (const name of names) {
    const url = name === "Hedy" ? await service.invite(room, name, "host") : room.url;
    people.push(await Person.in(browser, name, url));
  }
  await expect.poll(async () => (await service.participants(room)).length, soon).toBe(names.length);
  return { room, people };
}

function roomCard(panel: Locator, name: string): Locator {
  return panel.getByRole("region", { name, exact: true });
}

async function move(host: Person, name: string, to: string): Promise<void> {
  const panel = await host.openPanel("Breakout rooms");
  const line = panel.getByRole("listitem").filter({ hasText: name });
  await line.getByRole("button", { name: "Move to..." }).click();
  await host.page.getByRole("menuitem", { name: to, exact: true }).click();
}

test("a host opens rooms, announces something, brings two people together and closes the rooms", async () => {
  const { room, people } = await meeting("Hedy", "Bob", "Cleo");
  const [hedy, bob, cleo] = people as [Person, Person, Person];
  await hedy.hears();
  await hedy.page.setViewportSize({ width: 1280, height: 800 });
  const panel = await hedy.openPanel("Breakout rooms");
  expect(await hedy.violations()).toEqual([]);
  await panel.getByRole("radio", { name: "Assign automatically" }).check();
  await hedy.told("Now: 2 rooms with 1 person each").waitFor(soon);
  await panel.getByRole("switch", { name: "Include hosts" }).check();
  await hedy.told("Now: 1 room with 2 people and 1 room with 1 person").waitFor(soon);
  await panel.getByRole("switch", { name: "Include hosts" }).uncheck();
  // So many rooms are longer than the panel.
  for (let rooms = 2; rooms < 6; rooms += 1) {
    await panel.getByRole("button", { name: "More rooms" }).click();
  }
  await hedy.told("Now: 2 rooms with 1 person each and 4 empty rooms").waitFor(soon);
  const openIt = panel.getByRole("button", { name: "Open rooms" });
  expect(await isWhollyShown(openIt)).toBe(true);
  await openIt.click();

  // Two people and six rooms: each is alone in one, and the host stays in the main room.
  await roomCard(panel, "Room 6").waitFor(soon);
  const closeThem = panel.getByRole("button", { name: "Close rooms" });
  expect(await isInLongPart(closeThem)).toBe(true);
  expect(await isWhollyShown(closeThem)).toBe(true);
  const { rooms } = await active(room);
  expect(rooms.map(({ members }) => members.length)).toEqual([1, 1, 0, 0, 0, 0]);
  const roomOf = (name: string) =>
    rooms.find(({ members }) => members.some((member) => member.name === name))?.name ?? "none";
  await Promise.all([
    isIn(hedy, "Main room"),
    isIn(bob, roomOf("Bob")),
    isIn(cleo, roomOf("Cleo")),
  ]);
  await bob.page.getByText("Nobody else is in this room right now").waitFor(soon);
  await expect.poll(() => hedy.tile("Bob").count(), soon).toBe(0);
  expect(await bob.tile("Cleo").count()).toBe(0);

  // An announcement reaches every room.
  await panel.getByRole("textbox", { name: "Announcement" }).fill("Five minutes left");
  await panel.getByRole("button", { name: "Send to all rooms" }).click();
  for (const person of people) await person.told("Five minutes left").waitFor(soon);
  await bob.told("Five minutes left").getByRole("button", { name: "Dismiss" }).click();
  await bob.told("Five minutes left").waitFor({ state: "detached" });

  // In one room the two see and hear each other, and their chat stays there.
  await move(hedy, "Cleo", roomOf("Bob"));
  await isIn(cleo, roomOf("Bob"));
  await Promise.all([bob.sees("Cleo"), cleo.sees("Bob")]);
  await cleo.hears();
  await bob.hears();
  await say(bob, "Only for us");
  const log = (await cleo.openPanel("Chat")).getByRole("log");
  await log.getByText("Only for us").waitFor(soon);
  await log.getByText(`You are in: ${roomOf("Bob")}.`).waitFor(soon);
  await say(hedy, "For the main room");

  // Rooms close after a minute's warning, or at once.
  await hedy.openPanel("Breakout rooms");
  expect(await hedy.violations()).toEqual([]);
  expect(await isFilledDangerously(closeThem)).toBe(true);
  await closeThem.click();
  await hedy.page.getByRole("menuitem", { name: "Close in 60 seconds" }).click();
  for (const person of people) await person.told(/^Rooms close in (1:00|0:\d\d)$/).waitFor(soon);
  const left = async () => (await bob.told("Rooms close in").textContent()) ?? "";
  const first = await left();
  await expect.poll(left, soon).not.toBe(first);
  await closeThem.click();
  const closeNow = hedy.page.getByRole("menuitem", { name: "Close now" });
  expect(await looksDangerous(closeNow)).toBe(true);
  await closeNow.click();
  await Promise.all([hedy.sees("Bob"), hedy.sees("Cleo"), bob.sees("Hedy")]);
  await hedy.hears();
  await bob.told("Rooms close in").waitFor({ state: "detached" });
  for (const person of [bob, cleo]) {
    const own = (await person.openPanel("Chat")).getByRole("log");
    await own.getByText("Only for us").waitFor(soon);
    expect(await own.getByText("For the main room").count()).toBe(0);
  }
  await part(...people);
});

test("five people in two rooms see and hear the people in their room and nobody else", async () => {
  const { room, people } = await meeting("Hedy", "Bob", "Cleo");
  const [hedy, bob, cleo] = people as [Person, Person, Person];
  const crowd = await Crowd.enter(service, room, "Dan", "Eve", "Fay");
  try {
    await Promise.all([bob.sees("Dan"), cleo.sees("Fay"), hedy.hears()]);
    // Media may come before the service counts its sender as in the meeting.
    await expect.poll(async () => (await service.participants(room)).length, soon).toBe(6);
    const inside = await service.participants(room);
    const nameOf = (identity: string) =>
      inside.find((person) => person.identity === identity)?.name ?? identity;
    const panel = await hedy.openPanel("Breakout rooms");
    await panel.getByRole("radio", { name: "Assign automatically" }).check();
    await panel.getByRole("button", { name: "Open rooms" }).click();

    await roomCard(panel, "Room 2").waitFor(soon);
    const { rooms } = await active(room);
    const dealt = rooms.map(({ members }) => members.map(({ name }) => name).sort());
    expect(dealt.map(({ length }) => length).sort()).toEqual([2, 3]);
    expect(dealt.flat().sort()).toEqual(["Bob", "Cleo", "Dan", "Eve", "Fay"]);

    const companyOf = (name: string) =>
      (dealt.find((names) => names.includes(name)) ?? []).filter((other) => other !== name);
    const placeOf = (name: string) =>
      rooms.find(({ members }) => members.some((member) => member.name === name));
    for (const person of [bob, cleo]) {
      await isIn(person, placeOf(person.name)?.name ?? "none");
      for (const other of companyOf(person.name)) await person.sees(other);
      await person.tile("Hedy").waitFor({ ...soon, state: "detached" });
      const tiles = person.page.getByRole("main").getByRole("group");
      await expect.poll(() => tiles.count(), soon).toBe(companyOf(person.name).length + 1);
      if (companyOf(person.name).length > 0) await person.hears();
    }
    // The crowd reports what it could decrypt since it entered this room.
    for (const name of ["Dan", "Eve", "Fay"]) {
      const now = async () => {
        const report = (await crowd.reports()).find((one) => one.name === name);
        const named = (identities: readonly string[] = []) => identities.map(nameOf).sort();
        return {
          ...{ place: report?.place, trouble: report?.trouble },
          ...{ with: named(report?.with), hears: named(report?.hears), sees: named(report?.sees) },
          undecryptable: report?.undecryptable,
        };
      };
      const company = companyOf(name);
      await expect.poll(now, soon).toEqual({
        ...{ place: placeOf(name)?.id, trouble: "" },
        ...{ with: company, hears: company, sees: company },
        undecryptable: 0,
      });
    }
    expect(placeOf("Hedy")).toBeUndefined();

    // All six are together again.
    await panel.getByRole("button", { name: "Close rooms" }).click();
    await hedy.page.getByRole("menuitem", { name: "Close now" }).click();
    for (const name of ["Bob", "Cleo", "Dan", "Eve", "Fay"]) await hedy.sees(name);
    await part(...people);
  } finally {
    await crowd.disperse();
  }
});

test("assigned by hand, to named rooms, which are renamed, added and closed with people in them", async () => {
  const { room, people } = await meeting("Hedy", "Bob");
  const [hedy, bob] = people as [Person, Person];
  const panel = await hedy.openPanel("Breakout rooms");
  await panel.getByRole("switch", { name: "Name the rooms" }).check();
  await panel.getByRole("textbox", { name: "Name of room 1" }).fill("Attic");
  await panel.getByRole("radio", { name: "Assign by hand" }).check();
  await hedy.told("2 people left without a room").waitFor(soon);
  const roomOfBob = panel.getByRole("combobox", { name: "Room for Bob" });
  expect(await areSideBySide(panel.getByText("Bob", { exact: true }), roomOfBob)).toBe(true);
  await roomOfBob.selectOption("Attic");
  await hedy.told("1 person left without a room").waitFor(soon);
  await panel.getByRole("switch", { name: "People may return by themselves" }).uncheck();
  await panel.getByRole("button", { name: "Open rooms" }).click();
  await isIn(bob, "Attic");
  await isIn(hedy, "Main room");
  expect((await active(room)).rooms.map(({ name }) => name)).toEqual(["Attic", "Room 2"]);
  await bob.openPanel("Breakout rooms");
  await bob.page.getByText("A host will bring you back to the main room.").waitFor(soon);
  expect(await bob.page.getByRole("button", { name: "Return to main room" }).count()).toBe(0);

  await roomCard(panel, "Attic").getByRole("button", { name: "Rename" }).click();
  await panel.getByRole("textbox", { name: "Room name" }).fill("Cellar");
  await panel.getByRole("button", { name: "Save" }).click();
  await isIn(bob, "Cellar");
  await panel.getByRole("button", { name: "Add room" }).click();
  await roomCard(panel, "Room 3").waitFor(soon);

  // The list of people shows their rooms, and can move them.
  const entry = (await hedy.openPanel("People")).getByRole("listitem").filter({ hasText: "Bob" });
  await entry.getByText("Cellar").waitFor(soon);
  expect(await hedy.choicesAbout("Bob")).toEqual(["Make co-host", "Move to room ...", "Remove"]);
  await hedy.chooseAbout("Bob", "Move to room ...");
  await hedy.page.getByRole("menuitem", { name: "Room 3", exact: true }).click();
  await isIn(bob, "Room 3");

  await hedy.openPanel("Breakout rooms");
  const closeIt = roomCard(panel, "Room 3").getByRole("button", { name: "Close room" });
  expect(await looksDangerous(closeIt)).toBe(true);
  await closeIt.click();
  const question = hedy.page.getByRole("alertdialog", { name: "Close Room 3?" });
  await question.getByRole("button", { name: "Close room" }).click();
  await isIn(bob, "Main room");
  await Promise.all([hedy.sees("Bob"), bob.sees("Hedy")]);
  expect((await active(room)).rooms.map(({ name }) => name)).toEqual(["Cellar", "Room 2"]);
  await part(...people);
});

test("if people choose their rooms, they come and go as they like, and a host visits them", async () => {
  const { room, people } = await meeting("Hedy", "Bob");
  const [hedy, bob] = people as [Person, Person];
  await open(room, {}, { assign: "none", placements: undefined });
  const rooms = await bob.openPanel("Breakout rooms");
  await rooms.getByRole("button", { name: "Join Room 2" }).click();
  await isIn(bob, "Room 2");

  const panel = await hedy.openPanel("Breakout rooms");
  await panel.getByRole("list", { name: "People in Room 2" }).getByText("Bob").waitFor(soon);
  await panel.getByRole("button", { name: "Join Room 2" }).click();
  await Promise.all([hedy.sees("Bob"), bob.sees("Hedy")]);
  await hedy.hears();
  // A visitor is not a member of the room.
  expect((await active(room)).rooms[1]?.members.map(({ name }) => name)).toEqual(["Bob"]);
  await panel.getByRole("button", { name: "Return to main room" }).click();
  await isIn(hedy, "Main room");
  await expect.poll(() => bob.tile("Hedy").count(), soon).toBe(0);

  await rooms.getByRole("button", { name: "Return to main room" }).click();
  await Promise.all([bob.sees("Hedy"), hedy.sees("Bob")]);
  await rooms.getByRole("button", { name: "Join Room 1" }).click();
  await isIn(bob, "Room 1");
  await part(...people);
});

test("a co-host opens rooms and visits one, and is brought back when the role ends", async () => {
  const { room, people } = await meeting("Hedy", "Bob", "Cleo");
  const [hedy, bob, cleo] = people as [Person, Person, Person];
  await hedy.chooseAbout("Bob", "Make co-host");
  const panel = await bob.openPanel("Breakout rooms");
  await panel.getByRole("radio", { name: "Assign by hand" }).check();
  await panel.getByRole("combobox", { name: "Room for Cleo" }).selectOption("Room 2");
  await panel.getByRole("button", { name: "Open rooms" }).click();
  await isIn(cleo, "Room 2");
  await panel.getByRole("button", { name: "Join Room 2" }).click();
  await Promise.all([bob.sees("Cleo"), cleo.sees("Bob")]);
  await cleo.hears();
  await panel.getByRole("textbox", { name: "Announcement" }).waitFor(soon);

  await hedy.chooseAbout("Bob", "Remove co-host");
  await bob.told("You are no longer a co-host").waitFor(soon);
  await isIn(bob, "Main room");
  await Promise.all([hedy.sees("Bob"), bob.sees("Hedy")]);
  await expect.poll(() => cleo.tile("Bob").count(), soon).toBe(0);
  // The rooms stay open, but Bob can no longer control or enter them.
  for (const part of [
    panel.getByRole("textbox", { name: "Announcement" }),
    panel.getByRole("button", { name: "Join Room 2" }),
  ]) {
    await expect.poll(() => part.count(), soon).toBe(0);
  }
  expect((await active(room)).rooms.map(({ members }) => members.length)).toEqual([0, 1]);
  await part(...people);
});

test("an invited person decides when to go, and keeps microphone and hand, but not a shared screen", async () => {
  const { room, people } = await meeting("Bob", "Cleo");
  const [bob, cleo] = people as [Person, Person];
  await bob.page.evaluate(playScreen);
  await bob.control("Share screen").click();
  await cleo.tile("Bob's screen").waitFor(soon);
  await bob.control("Mute").click();
  await bob.control("Raise hand").click();
  await open(room, { Bob: 0, Cleo: 0 }, { auto_join: false });
  await bob.told(asked).getByRole("button", { name: "Join Room 1" }).click();
  await isIn(bob, "Room 1");
  await bob.control("Unmute").waitFor(soon);
  await bob.control("Stop camera").waitFor(soon);
  await bob.control("Share screen").waitFor(soon);
  await bob.control("Lower hand").waitFor(soon);
  await expect.poll(() => cleo.tile("Bob").count(), soon).toBe(0);
  const present = async () =>
    (await active(room)).rooms[0]?.members
      .filter((member) => member.present)
      .map(({ name }) => name);
  await expect.poll(present, soon).toEqual(["Bob"]);

  await cleo.told(asked).getByRole("button", { name: "Join Room 1" }).click();
  await cleo.sees("Bob");
  await cleo.tile("Bob").getByRole("img", { name: "Muted" }).waitFor(soon);
  await bob.control("Unmute").click();
  await cleo.hears();
  await part(...people);
});

test("people come back to the same room after a reload, and after the service was killed", async () => {
  const { room, people } = await meeting("Bob", "Cleo");
  const [bob, cleo] = people as [Person, Person];
  await open(room, { Bob: 1, Cleo: 1 });
  await Promise.all([isIn(bob, "Room 2"), isIn(cleo, "Room 2")]);
  await service.call("POST", `/rooms/${room.id}/breakouts/announce`, { message: "Tea is ready" });
  await bob.told("Tea is ready").getByRole("button", { name: "Dismiss" }).click();
  await bob.page.reload();
  await bob.join();
  await isIn(bob, "Room 2");
  await Promise.all([bob.sees("Cleo"), cleo.sees("Bob")]);
  // The dismissed announcement stays away, although the service repeats it for a minute.
  expect(await bob.told("Tea is ready").count()).toBe(0);

  await service.kill();
  await bob.told("Reconnecting...").waitFor({ timeout: 30_000 });
  await service.up();
  for (const person of people) {
    await person.told("Reconnecting...").waitFor({ state: "detached", timeout: 30_000 });
  }
  await Promise.all([bob.sees("Cleo"), cleo.sees("Bob")]);
  await bob.hears();
  await Promise.all([isIn(bob, "Room 2"), isIn(cleo, "Room 2")]);
  const present = async () =>
    (await active(room)).rooms[1]?.members.map((member) => member.present);
  await expect.poll(present, soon).toEqual([true, true]);
  await service.call("POST", `/rooms/${room.id}/breakouts/end`);
  await bob.page
    .getByRole("banner")
    .getByText("Room 2")
    .waitFor({ ...soon, state: "detached" });
  await Promise.all([bob.sees("Cleo"), cleo.sees("Bob")]);
  await part(...people);
});
