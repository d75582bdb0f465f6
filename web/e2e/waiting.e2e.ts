import { setTimeout as pause } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBreakouts } from "./breakout-rooms";
import { Knocker } from "./knocker";
import { openBrowser, Person, type PersonOptions, part, quickly, soon } from "./people";
import { type Room, ServiceUnderTest } from "./service";
import { countNotes, playAnHour, playNotifications, pressTwice } from "./waiting-page";

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const knock = { admission: "knock" };

async function hostOf(room: Room, options: PersonOptions = {}): Promise<Person> {
  return Person.in(browser, "Hedy", await service.invite(room, "Hedy", "host"), options);
}

async function ask(person: Person, button: "Ask to join" | "Join now" = "Ask to join") {
  await person.page.getByRole("textbox", { name: "Your name" }).fill(person.name);
  await person.page.getByRole("button", { name: button }).click();
}

async function knocks(name: string, room: Room, options: PersonOptions = {}): Promise<Person> {
  const person = await Person.at(browser, name, room.url, options);
  await ask(person);
  await person.told("Waiting for a host to let you in").waitFor(quickly);
  return person;
}

/** The names in a host's waiting list, in order. */
async function line(host: Person): Promise<readonly string[]> {
  const people = await host.openPanel("People");
  return people.getByRole("list", { name: "Waiting to join" }).locator("bdi").allTextContents();
}

async function closePanel({ page }: Person): Promise<void> {
  await page.getByRole("button", { name: "Close panel" }).click();
}

/** The button with which a host answers one person in the open panel. */
function buttonOf({ page }: Person, name: string, decision: "Admit" | "Deny") {
  const entry = page.getByRole("list", { name: "Waiting to join" }).getByRole("listitem");
  return entry.filter({ hasText: name }).getByRole("button", { name: decision, exact: true });
}

async function answer(host: Person, name: string, decision: "Admit" | "Deny"): Promise<void> {
  await host.openPanel("People");
  await buttonOf(host, name, decision).click();
}

test("a knock makes a sound, and an admitted person goes in by themselves", async () => {
  const room = await service.makeRoom(knock);
  const host = await hostOf(room, { prepare: (page) => page.addInitScript(countNotes) });
  const guest = await knocks("Bob", room);
  expect(await guest.violations()).toEqual([]);
  const banner = host.told("Someone is waiting");
  await banner.getByText("Bob").waitFor(soon);
  const heard = host.page.locator("[aria-live=polite]", { hasText: "Bob is waiting to join" });
  expect(await heard.count()).toBe(1);
  await expect.poll(() => host.page.evaluate(() => window.notes), quickly).toBe(2);
  const button = host.page.getByRole("button", { name: "People", exact: true });
  const description = await button.getAttribute("aria-describedby");
  expect(await host.page.locator(`[id="${description}"]`).textContent()).toBe(
    "1 person is waiting to join",
  );
  expect(await host.page.title()).toMatch(/^\(1\) /);
  await banner.getByRole("button", { name: "View" }).click();
  expect(await line(host)).toEqual(["Bob"]);
  expect(await host.page.getByRole("button", { name: "Admit all" }).count()).toBe(1);
  // The list says the same as the banner, and has its button.
  await expect.poll(() => banner.count(), quickly).toBe(0);
  expect(await host.page.title()).toMatch(/^\(1\) /);
  expect(await host.violations()).toEqual([]);
  expect((await service.participants(room)).map(({ name }) => name)).toEqual(["Hedy"]);

  await closePanel(host);
  await banner.getByRole("button", { name: "Admit", exact: true }).click();
  await guest.isInside();
  await Promise.all([host.sees("Bob"), guest.sees("Hedy"), host.hears()]);
  expect(await host.page.title()).not.toMatch(/^\(/);
  await expect.poll(() => banner.count(), quickly).toBe(0);
  expect(await line(host)).toEqual([]);

  // A person who was admitted once comes back without knocking.
  await guest.page.reload();
  await guest.join();
  await host.sees("Bob");
  await guest.control("Leave").click();
  await guest.page.getByRole("button", { name: "Rejoin" }).click();
  await guest.isInside();
  await host.sees("Bob");

  // So does one who comes back in another tab.
  await guest.control("Leave").click();
  await guest.page.getByRole("button", { name: "Rejoin" }).waitFor(soon);
  const another = await guest.page.context().newPage();
  await another.goto(room.url);
  await another.getByRole("button", { name: "Join now" }).waitFor(soon);
  await part(host, guest);
});

test("a host who looks elsewhere is notified of those who wait, once they asked for it", async () => {
  const room = await service.makeRoom(knock);
  const host = await hostOf(room, {
    prepare: async (page) => {
      await page.addInitScript(countNotes);
      await page.addInitScript(playNotifications);
    },
  });
  const notified = () => host.page.evaluate(() => window.notified);
  const bob = await knocks("Bob", room);
  const people = await host.openPanel("People");
  const offer = people.getByRole("button", { name: "Notify me" });
  await offer.click();
  await offer.waitFor({ state: "detached", ...quickly });

  // While the host looks at the meeting, sound and banner are enough.
  await answer(host, "Bob", "Deny");
  // The button goes away with Bob, and the keyboard goes on in the panel.
  await expect
    .poll(() => people.evaluate((panel) => panel === document.activeElement), quickly)
    .toBe(true);
  await bob.page.getByRole("alert").getByText("You were not let in").waitFor(quickly);
  await ask(bob);
  await expect.poll(() => host.page.evaluate(() => window.notes), soon).toBe(4);
  expect(await notified()).toEqual([]);

  await host.page.evaluate(() => {
    document.hasFocus = () => false;
  });
  const cleo = await knocks("Cleo", room);
  await expect.poll(notified, soon).toEqual([["Someone is waiting", "Cleo"]]);
  await part(host, bob, cleo);
});

test("on a phone one banner covers the picture, and the next one waits its turn", async () => {
  const room = await service.makeRoom(knock);
  const viewport = { width: 360, height: 740 };
  const host = await hostOf(room, { viewport });
  await openBreakouts(service, room, {});
  const guest = await knocks("Bob", room);
  const [waiting, announced] = [host.told("Someone is waiting"), host.told("Tea is ready")];
  await waiting.waitFor(soon);
  await service.call("POST", `/rooms/${room.id}/breakouts/announce`, { message: "Tea is ready" });
  await announced.waitFor(soon);
  await expect.poll(() => waiting.count(), quickly).toBe(0);
  // A larger screen has room for both.
  await host.page.setViewportSize({ width: 1200, height: 750 });
  await Promise.all([waiting, announced].map((banner) => banner.waitFor(quickly)));
  await host.page.setViewportSize(viewport);
  await expect.poll(() => waiting.count(), quickly).toBe(0);
  await announced.getByRole("button", { name: "Dismiss" }).click();
  await waiting.getByText("Bob").waitFor(quickly);
  expect(await announced.count()).toBe(0);
  await part(host, guest);
});

test("a person who is turned away may ask once more", async () => {
  const room = await service.makeRoom(knock);
  const host = await hostOf(room);
  const guest = await knocks("Bob", room);
  for (const round of [1, 2]) {
    await answer(host, "Bob", "Deny");
    await guest.page.getByRole("alert").getByText("You were not let in").waitFor(quickly);
    await expect.poll(() => line(host), quickly).toEqual([]);
    await ask(guest);
    if (round === 1) await guest.told("Waiting for a host to let you in").waitFor(quickly);
  }
  await guest.page.getByRole("alert").getByText("Ask a host for a join link").waitFor(quickly);
  expect(await line(host)).toEqual([]);
  // Asking again helps once the room lets everybody in, so the page still offers it.
  await service.call("PATCH", `/rooms/${room.id}`, { settings: { admission: "direct" } });
  await ask(guest);
  await guest.isInside();
  await part(host, guest);
});

test("a host who comes later sees who waits, oldest first, and admits all at once", async () => {
  const room = await service.makeRoom(knock);
  const first = await knocks("Bob", room);
  const second = await knocks("Cleo", room);
  const host = await hostOf(room);
  await host.told("Someone is waiting").getByText("and 1 more").waitFor(soon);
  expect(await line(host)).toEqual(["Bob", "Cleo"]);
  const people = await host.openPanel("People");
  await people.getByRole("button", { name: "Admit all" }).click();
  await Promise.all([first.isInside(), second.isInside()]);
  await Promise.all([host.sees("Bob"), host.sees("Cleo")]);
  await part(host, first, second);
});

test("a co-host admits people too, and no longer sees the waiting list when the role ends", async () => {
  const room = await service.makeRoom();
  const host = await hostOf(room);
  const cohost = await Person.in(browser, "Cleo", room.url);
  await service.call("PATCH", `/rooms/${room.id}`, { settings: knock });
  const guest = await knocks("Bob", room);
  await host.told("Someone is waiting").waitFor(soon);
  expect(await cohost.told("Someone is waiting").count()).toBe(0);
  await host.chooseAbout("Cleo", "Make co-host");
  await cohost.told("Someone is waiting").waitFor(quickly);
  await host.chooseAbout("Cleo", "Remove co-host");
  await expect.poll(() => cohost.told("Someone is waiting").count(), quickly).toBe(0);
  await host.chooseAbout("Cleo", "Make co-host");
  await answer(cohost, "Bob", "Admit");
  await guest.isInside();
  await part(host, cohost, guest);
});

test("a locked room keeps people waiting, and says so to the host who admits them", async () => {
  const room = await service.makeRoom(knock);
  const host = await hostOf(room);
  const guest = await knocks("Bob", room);
  const controls = await host.openPanel("Host controls");
  await controls.getByRole("switch", { name: "Lock room" }).click();
  await expect.poll(async () => (await service.room(room)).locked, quickly).toBe(true);
  await answer(host, "Bob", "Admit");
  await host.told("The room is locked. Unlock it to let people in.").waitFor(quickly);
  expect(await line(host)).toEqual(["Bob"]);
  await host.openPanel("Host controls");
  await controls.getByRole("switch", { name: "Lock room" }).click();
  await expect.poll(async () => (await service.room(room)).locked, quickly).toBe(false);
  await answer(host, "Bob", "Admit");
  await guest.isInside();
  await part(host, guest);
});

test("people wait for the host to arrive, and may have to knock then", async () => {
  const room = await service.makeRoom({ before_host: "wait" });
  const guest = await Person.at(browser, "Bob", room.url);
  await ask(guest, "Join now");
  await guest.told("Waiting for the host to arrive").waitFor(quickly);
  expect(await service.participants(room)).toEqual([]);
  const host = await hostOf(room, { prepare: (page) => page.addInitScript(countNotes) });
  await guest.isInside();
  await host.sees("Bob");
  // The host had nothing to answer, so no banner said that someone waits.
  expect(await host.told("Someone is waiting").count()).toBe(0);
  expect(await host.page.evaluate(() => window.notes)).toBe(0);
  await part(host, guest);

  const strict = await service.makeRoom({ before_host: "wait", admission: "knock" });
  const early = await Person.at(browser, "Bob", strict.url);
  await ask(early, "Join now");
  await early.told("Waiting for the host to arrive").waitFor(quickly);
  const late = await hostOf(strict);
  await early.told("Waiting for a host to let you in").waitFor(soon);
  await answer(late, "Bob", "Admit");
  await early.isInside();
  await part(late, early);
});

test("a room that closes while a person is on their way in stops them like everybody else", async () => {
  const room = await service.makeRoom();
  const host = await hostOf(room);
  /** A person who is admitted before the room changes. */
  const surprised = (name: string, change: object) =>
    Person.at(browser, name, room.url, {
      prepare: (page) =>
        page.route(
          "**/meet/v1/join",
          async (route) => {
            const response = await route.fetch();
            await service.call("PATCH", `/rooms/${room.id}`, change);
            await route.fulfill({ response });
          },
          { times: 1 },
        ),
    });
  const bob = await surprised("Bob", { settings: knock });
  await ask(bob, "Join now");
  await bob.told("Waiting for a host to let you in").waitFor(soon);
  await expect.poll(() => line(host), soon).toEqual(["Bob"]);
  await answer(host, "Bob", "Admit");
  await bob.isInside();
  await host.sees("Bob");

  await service.call("PATCH", `/rooms/${room.id}`, { settings: { admission: "direct" } });
  const cleo = await surprised("Cleo", { locked: true });
  await ask(cleo, "Join now");
  await cleo.page.getByRole("alert").getByText("This room is locked").waitFor(soon);
  await part(host, bob, cleo);
});

test("a double click admits one person, wherever the next one's button comes to be", async () => {
  const room = await service.makeRoom(knock);
  const host = await hostOf(room);
  const guests: Knocker[] = [];
  for (const name of ["Bob", "Cleo", "Dan"]) guests.push(await Knocker.at(service, room, name));
  const admitted = () => guests.map(({ isAdmitted }) => isAdmitted);
  const answers: string[] = [];
  host.page.on("request", (request) => {
    if (request.url().includes("/waiting/")) answers.push(request.url());
  });
  const banner = host.told("Someone is waiting");
  await banner.getByText("and 2 more").waitFor(soon);
  // The second click comes when the next one's button is at the same place.
  await pressTwice(banner.getByRole("button", { name: "Admit", exact: true }), "Bob");
  await expect.poll(admitted, soon).toEqual([true, false, false]);
  expect(await line(host)).toEqual(["Cleo", "Dan"]);
  await pressTwice(buttonOf(host, "Cleo", "Admit"), "Cleo");
  await expect.poll(admitted, soon).toEqual([true, true, false]);
  expect(await line(host)).toEqual(["Dan"]);
  // Here it comes before the answer to the first one, once the row stands still.
  await pause(1000);
  await buttonOf(host, "Dan", "Admit").dblclick();
  await expect.poll(admitted, soon).toEqual([true, true, true]);
  expect(answers).toHaveLength(3);
  await part(host);
});

test("a dismissed knock stays away, and a new one of the same person does not", async () => {
  const room = await service.makeRoom(knock);
  const host = await hostOf(room);
  const bob = await Knocker.at(service, room, "Bob");
  const banner = host.told("Someone is waiting");
  await banner.getByText("Bob").waitFor(soon);
  await banner.getByRole("button", { name: "Dismiss" }).click();
  await banner.waitFor({ state: "detached", ...quickly });
  const cleo = await Knocker.at(service, room, "Cleo");
  await banner.getByText("Cleo").waitFor(soon);
  expect(await banner.getByText("and 1 more").count()).toBe(0);
  await bob.leave();
  await expect.poll(() => line(host), soon).toEqual(["Cleo"]);
  await closePanel(host);
  await bob.ask();
  await banner.getByText("and 1 more").waitFor(soon);
  await Promise.all([bob.leave(), cleo.leave()]);
  await part(host);
});

test("after an hour without an answer a person may ask again, or stop waiting", async () => {
  const room = await service.makeRoom(knock);
  const host = await hostOf(room);
  const guest = await knocks("Bob", room, {
    viewport: { width: 360, height: 740 },
    prepare: (page) => page.addInitScript(playAnHour),
  });
  await guest.page.evaluate(() => window.dispatchEvent(new Event("an-hour-later")));
  await guest.told("Nobody answered. Ask again?").waitFor(quickly);
  expect(await guest.violations()).toEqual([]);
  await guest.page.getByRole("button", { name: "Ask again" }).click();
  await guest.told("Waiting for a host to let you in").waitFor(quickly);
  await expect.poll(() => line(host), quickly).toEqual(["Bob"]);
  await guest.page.getByRole("button", { name: "Stop waiting" }).click();
  await guest.page.getByRole("button", { name: "Ask to join" }).waitFor(quickly);
  await expect.poll(() => line(host), quickly).toEqual([]);
  await part(host, guest);
});
