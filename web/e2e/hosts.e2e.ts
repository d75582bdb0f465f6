import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isWhollyShown, looksDangerous } from "./looks";
import { openBrowser, Person, part, quickly, soon } from "./people";
import { playScreen } from "./played-camera";
import { type Room, ServiceUnderTest } from "./service";

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser({ beeps: true }), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function hostAndGuest(room: Room) {
  const host = await Person.in(browser, "Hedy", await service.invite(room, "Hedy", "host"));
  const guest = await Person.in(browser, "Bob", room.url);
  return { host, guest };
}

function entryOf(person: Person, name: string) {
  return person.page.getByRole("listitem").filter({ hasText: name });
}

test("a host mutes a person, and only that person can unmute", async () => {
  const room = await service.makeRoom();
  const { host, guest } = await hostAndGuest(room);
  await host.hears();
  await host.chooseAbout("Bob", "Mute");
  await guest.told("You were muted by a host").waitFor(quickly);
  await guest.control("Unmute").waitFor(quickly);
  await host.tile("Bob").getByRole("img", { name: "Muted" }).waitFor(quickly);
  expect(await host.choicesAbout("Bob")).not.toContain("Mute");
  await guest.control("Unmute").click();
  await host.hears();
  await part(host, guest);
});

test("a host asks a person to unmute, and the person decides", async () => {
  const room = await service.makeRoom();
  const { host, guest } = await hostAndGuest(room);
  const third = await Person.in(browser, "Cleo", room.url);
  await host.openPanel("People");
  for (const person of [guest, third]) {
    await person.control("Mute").click();
    await entryOf(host, person.name).getByRole("img", { name: "Microphone is off" }).waitFor(soon);
    await host.chooseAbout(person.name, "Ask to unmute");
  }
  const question = (person: Person) => person.told("A host asks you to unmute");
  await question(guest).waitFor(quickly);
  await guest.control("Unmute").waitFor(quickly);
  expect(await guest.violations()).toEqual([]);
  await question(guest).getByRole("button", { name: "Dismiss" }).click();
  await question(guest).waitFor({ state: "detached" });
  await guest.control("Unmute").waitFor(quickly);

  await question(third).getByRole("button", { name: "Unmute" }).click();
  await third.control("Mute").waitFor(quickly);
  await question(third).waitFor({ state: "detached" });
  await host.hears();
  await part(host, guest, third);
});

test("a host stops a camera, and only that person can start it again", async () => {
  const room = await service.makeRoom();
  const { host, guest } = await hostAndGuest(room);
  await host.sees("Bob");
  await host.chooseAbout("Bob", "Stop camera");
  await guest.told("A host stopped your camera").waitFor(quickly);
  await guest.control("Start camera").waitFor(quickly);
  await guest.control("Mute").waitFor(quickly);
  await expect.poll(() => host.tile("Bob").locator("video").count(), quickly).toBe(0);
  expect(await host.choicesAbout("Bob")).not.toContain("Stop camera");
  await guest.control("Start camera").click();
  await host.sees("Bob");
  await part(host, guest);
});

test("hosts lower one hand, or all hands", async () => {
  const room = await service.makeRoom();
  const { host, guest } = await hostAndGuest(room);
  const third = await Person.in(browser, "Cleo", room.url);
  const people = await host.openPanel("People");
  const hands = people.getByRole("list", { name: "Raised hands" });
  await guest.control("Raise hand").click();
  await hands.getByText("Bob").waitFor(quickly);
  await host.chooseAbout("Bob", "Lower hand");
  await guest.control("Raise hand").waitFor(quickly);
  await expect.poll(() => hands.count(), quickly).toBe(0);

  for (const person of [host, guest, third]) await person.control("Raise hand").click();
  await expect.poll(() => hands.getByRole("listitem").count(), quickly).toBe(3);
  await people.getByRole("button", { name: "Lower all hands" }).click();
  for (const person of [host, guest, third]) await person.control("Raise hand").waitFor(quickly);
  await expect.poll(() => hands.count(), quickly).toBe(0);
  await part(host, guest, third);
});

test("a spotlight shows a person large to everybody, unless they pin somebody else", async () => {
  const room = await service.makeRoom();
  const { host, guest } = await hostAndGuest(room);
  const third = await Person.in(browser, "Cleo", room.url);
  const width = async (person: Person, name: string) =>
    (await person.tile(name).boundingBox())?.width ?? 0;
  const isLarger = (person: Person, one: string, other: string) =>
    expect
      .poll(async () => (await width(person, one)) > 1.5 * (await width(person, other)), quickly)
      .toBe(true);
  await host.sees("Cleo");
  await host.chooseAbout("Cleo", "Spotlight for everyone");
  await isLarger(host, "Cleo", "Bob");
  await isLarger(guest, "Cleo", "Hedy");
  await isLarger(third, "Cleo (you)", "Bob");
  await guest.tile("Cleo").getByRole("img", { name: "In the spotlight" }).waitFor(quickly);
  expect(await guest.violations()).toEqual([]);
  await guest.sees("Cleo");

  await guest.tile("Hedy").hover();
  await guest.page.getByRole("button", { name: "Pin Hedy" }).click();
  await isLarger(guest, "Hedy", "Cleo");
  await guest.tile("Hedy").hover();
  await guest.page.getByRole("button", { name: "Unpin Hedy" }).click();
  await isLarger(guest, "Cleo", "Hedy");

  // A reload keeps it, for the person and for everybody.
  await third.page.reload();
  await third.join();
  await isLarger(third, "Cleo (you)", "Bob");
  await host.chooseAbout("Cleo", "Remove spotlight");
  await guest
    .tile("Cleo")
    .getByRole("img", { name: "In the spotlight" })
    .waitFor({ state: "detached" });
  const difference = async () => (await width(guest, "Cleo")) - (await width(guest, "Bob (you)"));
  await expect.poll(difference, quickly).toBe(0);
  await part(host, guest, third);
});

test("mute all reaches everybody but the host who asks", async () => {
  const room = await service.makeRoom();
  const { host, guest } = await hostAndGuest(room);
  const third = await Person.in(browser, "Cleo", room.url);
  await third.hears();
  const people = await host.openPanel("People");
  await entryOf(host, "Cleo").getByRole("img", { name: "Microphone is on" }).waitFor(soon);
  await people.getByRole("button", { name: "Mute all" }).click();
  for (const muted of [guest, third]) {
    await muted.told("You were muted by a host").waitFor(quickly);
    await muted.control("Unmute").waitFor(quickly);
  }
  await host.control("Mute").waitFor(quickly);
  expect(await host.told("You were muted by a host").count()).toBe(0);
  const speaking = async () =>
    (await service.participants(room))
      .filter(({ audio_muted }) => !audio_muted)
      .map(({ name }) => name);
  await expect.poll(speaking, soon).toEqual(["Hedy"]);
  await part(host, guest, third);
});

test("a removed person is out; without a lock they may come again as a new person", async () => {
  const room = await service.makeRoom();
  const { host, guest } = await hostAndGuest(room);
  await host.sees("Bob");
  const before = (await service.participants(room)).find(({ name }) => name === "Bob")?.identity;
  await (await host.openPanel("People"))
    .getByRole("button", { name: "More actions for Bob" })
    .click();
  const remove = host.page.getByRole("menuitem", { name: "Remove", exact: true });
  expect(await looksDangerous(remove)).toBe(true);
  await remove.click();
  const question = host.page.getByRole("alertdialog", { name: "Remove Bob?" });
  await question.getByRole("button", { name: "Remove" }).click();
  await guest.page
    .getByRole("heading", { name: "You were removed from the meeting" })
    .waitFor(quickly);
  await expect.poll(() => host.tile("Bob").count(), quickly).toBe(0);
  // They may come back, but that is not what the page suggests first.
  const offers = guest.page.getByRole("main").getByRole("button");
  expect(await offers.allTextContents()).toEqual(["Go to the start page", "Rejoin"]);

  await guest.page.getByRole("button", { name: "Rejoin" }).click();
  await guest.isInside();
  await host.sees("Bob");
  const after = (await service.participants(room)).find(({ name }) => name === "Bob")?.identity;
  expect(after).not.toBe(before);

  const controls = await host.openPanel("Host controls");
  await controls.getByRole("switch", { name: "Lock room" }).click();
  await expect.poll(async () => (await service.room(room)).locked, quickly).toBe(true);
  await host.page.getByRole("img", { name: "Room locked" }).waitFor(quickly);
  await host.chooseAbout("Bob", "Remove");
  await question.getByRole("button", { name: "Remove" }).click();
  await guest.page.getByRole("button", { name: "Rejoin" }).click();
  await guest.page.getByRole("alert").getByText("This room is locked").waitFor(quickly);
  await part(host, guest);
});

test("a co-host mutes and removes, and is offered nothing else", async () => {
  const room = await service.makeRoom();
  const { host, guest } = await hostAndGuest(room);
  const third = await Person.in(browser, "Cleo", room.url);
  const offered = (person: Person) =>
    person.page
      .getByRole("complementary", { name: "People" })
      .getByRole("button", { name: /More actions for (?!Bob)|Mute all/ });
  await guest.openPanel("People");
  await entryOf(guest, "Cleo").waitFor(soon);
  expect(await offered(guest).count()).toBe(0);
  expect(await guest.choicesAbout("Bob")).toEqual(["Rename"]);

  await host.chooseAbout("Bob", "Make co-host");
  await guest.told("You are now a co-host").waitFor(quickly);
  await entryOf(guest, "Bob (you)").getByText("Co-host", { exact: true }).waitFor(quickly);
  await third.openPanel("People");
  await entryOf(third, "Bob").getByText("Co-host", { exact: true }).waitFor(quickly);
  // A person without a microphone cannot be muted.
  await entryOf(guest, "Cleo").getByRole("img", { name: "Microphone is on" }).waitFor(soon);
  await guest.sees("Cleo");
  expect(await guest.choicesAbout("Cleo")).toEqual([
    "Pin",
    "Spotlight for everyone",
    "Mute",
    "Stop camera",
    "Remove",
  ]);
  expect(await guest.choicesAbout(host.name)).not.toContain("Remove");
  expect(await guest.page.getByRole("button", { name: "Host controls" }).count()).toBe(0);
  await guest.chooseAbout("Cleo", "Mute");
  await third.told("You were muted by a host").waitFor(quickly);
  await third.control("Unmute").click();
  await third.control("Mute").waitFor(quickly);
  await guest.chooseAbout("Cleo", "Remove");
  await guest.page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await third.page.getByRole("heading", { name: "You were removed" }).waitFor(quickly);

  await host.chooseAbout("Bob", "Remove co-host");
  await guest.told("You are no longer a co-host").waitFor(quickly);
  await expect.poll(() => offered(guest).count(), quickly).toBe(0);
  // A co-host leaves with one click, like everybody else.
  await guest.control("Leave").click();
  await guest.page.getByRole("heading", { name: "You left the meeting" }).waitFor(quickly);
  await part(host, guest, third);
});

test("when the right to share ends, a shared screen ends too", async () => {
  const room = await service.makeRoom();
  const { host, guest } = await hostAndGuest(room);
  await host.sees("Bob");
  await guest.page.evaluate(playScreen);
  await guest.control("Share screen").click();
  await host.sees("Bob's screen");
  const controls = await host.openPanel("Host controls");
  await controls.getByRole("combobox", { name: "Who may share" }).selectOption("Hosts only");
  await expect.poll(() => host.tile("Bob's screen").count(), quickly).toBe(0);
  await guest.told("Only hosts may share their screen now").waitFor(quickly);
  await expect.poll(() => guest.control("Share screen").count(), quickly).toBe(0);
  expect(await host.control("Share screen").count()).toBe(1);

  await controls.getByRole("combobox", { name: "Who may share" }).selectOption("Everyone");
  await guest.control("Share screen").click();
  await host.sees("Bob's screen");
  await part(host, guest);
});

test("hosts' settings apply to everyone at once, and a change that fails is taken back", async () => {
  const room = await service.makeRoom();
  const { host, guest } = await hostAndGuest(room);
  const controls = await host.openPanel("Host controls");
  const toggle = (name: string) => controls.getByRole("switch", { name });
  await toggle("Mute on entry").click();
  await toggle("Camera off on entry").click();
  await controls.getByRole("combobox", { name: "Admission" }).selectOption("A host lets people in");
  await controls.getByRole("combobox", { name: "Access" }).selectOption("Members only");
  await toggle("Reactions").click();
  await expect
    .poll(async () => (await service.room(room)).settings, quickly)
    .toMatchObject({
      access: "members",
      admission: "knock",
      mute_on_entry: true,
      camera_off_on_entry: true,
      reactions: false,
      chat: true,
    });
  await expect.poll(() => guest.control("React").count(), quickly).toBe(0);
  // A change made by others is shown as well.
  await service.call("PATCH", `/rooms/${room.id}`, { settings: { reactions: true } });
  await expect.poll(() => toggle("Reactions").isChecked(), quickly).toBe(true);

  await host.page.route("**/meet/v1/room", (route) => route.abort());
  await toggle("Chat").click();
  await controls.getByRole("alert").getByText("That was not saved. Try again.").waitFor(quickly);
  expect(await toggle("Chat").isChecked()).toBe(true);
  await part(host, guest);
});

test("ending the meeting sends everyone home, and the link still works", async () => {
  const room = await service.makeRoom();
  const { host, guest } = await hostAndGuest(room);
  await guest.sees("Hedy");
  await host.control("Leave").click();
  const end = host.page.getByRole("menuitem", { name: "End for everyone" });
  expect(await looksDangerous(end)).toBe(true);
  await end.click();
  const question = host.page.getByRole("alertdialog", { name: "End the meeting for everyone?" });
  await question.getByRole("button", { name: "Cancel" }).click();
  await host.control("Leave").click();
  await end.click();
  await question.getByRole("button", { name: "End for everyone" }).click();
  for (const person of [host, guest]) {
    await person.page.getByRole("heading", { name: "The meeting has ended" }).waitFor(quickly);
  }
  expect(await service.participants(room)).toEqual([]);
  await guest.page.goto(room.url);
  await guest.page.getByRole("button", { name: "Join now" }).waitFor(quickly);
  await part(host, guest);
});

test("a room deleted during its meeting is gone for host and guest alike", async () => {
  const room = await service.makeRoom();
  const { host, guest } = await hostAndGuest(room);
  await guest.sees("Hedy");
  await service.call("DELETE", `/rooms/${room.id}`);
  for (const person of [host, guest]) {
    await person.page.getByRole("heading", { name: "This room was deleted" }).waitFor(quickly);
    const offers = person.page.getByRole("main").getByRole("button");
    expect(await offers.allTextContents()).toEqual(["Go to the start page"]);
  }
  await guest.page.goto(room.url);
  await guest.page.getByRole("alert").getByText("This room does not exist").waitFor(quickly);
  expect(await guest.page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  await part(host, guest);
});

test("the panels of hosts work with assistive technology and on a phone", async () => {
  const room = await service.makeRoom();
  const phone = { viewport: { width: 360, height: 740 } };
  const host = await Person.in(browser, "Hedy", await service.invite(room, "Hedy", "host"), phone);
  const guest = await Person.in(browser, "Bob", room.url);
  const overflow = () =>
    host.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  const header = host.page.getByRole("banner");
  const lock = header.getByRole("button", { name: "End-to-end encrypted" });
  // Neither is cut off, and neither lies under the first button of the panels.
  const panels = header.getByRole("toolbar", { name: "Panels" });
  const { x: edge = 0 } = (await panels.boundingBox()) ?? {};
  for (const fact of [lock, header.getByRole("timer")]) {
    expect(await isWhollyShown(fact)).toBe(true);
    const { x = 0, width = 0 } = (await fact.boundingBox()) ?? {};
    expect(x + width).toBeLessThanOrEqual(edge);
  }
  // The banner about a waiting person must not cover the panel's buttons.
  await service.call("PATCH", `/rooms/${room.id}`, { settings: { admission: "knock" } });
  const outsider = await Person.at(browser, "Cleo", room.url);
  const longName = `Cleo ${"Constantinopoulos ".repeat(3)}`.trim();
  await outsider.page.getByRole("textbox", { name: "Your name" }).fill(longName);
  await outsider.page.getByRole("button", { name: "Ask to join" }).click();
  await host.told("Someone is waiting").waitFor(soon);
  // The whole name stands above the buttons that answer it.
  const people = await host.openPanel("People");
  const knocking = people.getByRole("list", { name: "Waiting to join" }).getByRole("listitem");
  const written = knocking.getByText(longName, { exact: true });
  expect(await isWhollyShown(written)).toBe(true);
  const { y = 0, height = 0 } = (await written.boundingBox()) ?? {};
  for (const name of ["Deny", "Admit"]) {
    const button = knocking.getByRole("button", { name, exact: true });
    expect((await button.boundingBox())?.y, name).toBeGreaterThanOrEqual(y + height);
  }
  for (const panel of ["People", "Host controls"] as const) {
    await host.openPanel(panel);
    expect(await overflow()).toBe(0);
    expect(await host.violations()).toEqual([]);
    await host.page.getByRole("button", { name: "Close panel" }).click(quickly);
  }
  await host.chooseAbout("Bob", "Remove");
  await host.page.getByRole("alertdialog").waitFor(quickly);
  expect(await host.violations()).toEqual([]);
  await part(host, guest, outsider);
});
