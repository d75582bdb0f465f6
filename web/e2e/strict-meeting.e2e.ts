import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { isIn } from "./breakout-rooms";
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

async function hostOf(room: Room): Promise<Person> {
  return Person.in(browser, "Hedy", await service.invite(room, "Hedy", "host"));
}

test("a host lets a person in, sees their hand and screen, and mutes, promotes and locks", async () => {
  const room = await service.makeRoom({ encryption: "strict", admission: "knock" });
  const hedy = await hostOf(room);
  const bob = await Person.at(browser, "Bob", room.url);
  await bob.page.getByRole("textbox", { name: "Your name" }).fill("Bob");
  await bob.page.getByRole("button", { name: "Ask to join" }).click();
  await hedy
    .told("Someone is waiting")
    .getByRole("button", { name: "Admit", exact: true })
    .click(soon);
  await Promise.all([bob.sees("Hedy"), hedy.sees("Bob"), hedy.hears()]);

  await bob.control("Raise hand").click();
  const people = await hedy.openPanel("People");
  await people.getByRole("list", { name: "Raised hands" }).getByText("Bob").waitFor(soon);
  await bob.control("React").click();
  await bob.page.getByRole("menuitem", { name: "👏" }).click();
  await hedy.page.getByRole("img", { name: "Bob reacted with 👏" }).waitFor(soon);
  await bob.page.evaluate(playScreen);
  await bob.control("Share screen").click();
  await hedy.sees("Bob's screen");
  await bob.control("Stop sharing").click();

  await hedy.chooseAbout("Bob", "Mute");
  await bob.told("You were muted by a host").waitFor(soon);
  await bob.control("Unmute").click();
  await hedy.hears();
  await hedy.chooseAbout("Bob", "Make co-host");
  await bob.told("You are now a co-host").waitFor(soon);

  await service.call("PATCH", `/rooms/${room.id}`, { locked: true });
  const cleo = await Person.at(browser, "Cleo", room.url);
  await cleo.page.getByText("locked").first().waitFor(soon);
  await part(hedy, bob, cleo);
});

test("people go to breakout rooms that were dealt, and to those they choose", async () => {
  const room = await service.makeRoom({ encryption: "strict" });
  const hedy = await hostOf(room);
  const bob = await Person.in(browser, "Bob", room.url);
  const cleo = await Person.in(browser, "Cleo", room.url);
  await Promise.all([bob.sees("Cleo"), cleo.sees("Bob")]);

  const breakouts = `/rooms/${room.id}/breakouts`;
  await service.call("POST", breakouts, { rooms: 1, assign: "auto" });
  await Promise.all([isIn(bob, "Room 1"), isIn(cleo, "Room 1")]);
  await Promise.all([bob.sees("Cleo"), cleo.sees("Bob"), cleo.hears()]);
  await service.call("POST", `${breakouts}/end`, { warn: false });
  await Promise.all([bob.sees("Hedy"), hedy.sees("Cleo"), cleo.sees("Bob")]);

  await service.call("POST", breakouts, { rooms: 2, assign: "none" });
  for (const person of [bob, cleo]) {
    const rooms = await person.openPanel("Breakout rooms");
    await rooms.getByRole("button", { name: "Join Room 2" }).click();
    await isIn(person, "Room 2");
  }
  await Promise.all([bob.sees("Cleo"), cleo.sees("Bob"), bob.hears()]);
  const panel = await hedy.openPanel("Breakout rooms");
  await panel.getByRole("button", { name: "Join Room 2" }).click();
  await Promise.all([hedy.sees("Bob"), bob.sees("Hedy")]);
  await part(hedy, bob, cleo);
});

test("the audience of a strict webinar watches, comes to the stage, and goes back", async () => {
  const room = await service.makeWebinar("--encryption", "strict");
  const hedy = await hostOf(room);
  const bob = await Person.in(browser, "Bob", room.url);
  await Promise.all([bob.sees("Hedy"), bob.hears()]);
  expect(await bob.control("Unmute").count()).toBe(0);

  await hedy.chooseAbout("Bob", "Invite to the stage");
  const banner = bob.told("You are on stage");
  await banner.getByRole("button", { name: "Unmute" }).click();
  await banner.getByRole("button", { name: "Start camera" }).click();
  await Promise.all([hedy.sees("Bob"), hedy.hears()]);
  await hedy.chooseAbout("Bob", "Move to audience");
  await bob.told("You are back in the audience").waitFor(soon);
  await expect.poll(() => hedy.tile("Bob").count(), soon).toBe(0);
  await bob.sees("Hedy");
  await part(hedy, bob);
});
