import { once } from "node:events";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { isIn, openBreakouts } from "./breakout-rooms";
import { heard, say } from "./chatting";
import { closePeople, openBrowser, Person, soon } from "./people";
import { SecretWatch } from "./secret-watch";
import { type Room, ServiceUnderTest } from "./service";
import { type Credentials, StockSite } from "./stock-site";

let browser: Browser;
let service: ServiceUnderTest;
let site: StockSite;
let watch: SecretWatch;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
  watch = new SecretWatch(service);
  site = await StockSite.start();
});

afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await service?.stop();
});

afterEach((context) => closePeople(browser, context));

/** Hedy is a host; the others are not. */
async function meeting(...names: string[]): Promise<{ room: Room; people: Person[] }> {
  const room = await service.makeRoom({ encryption: "strict" });
  const people: Person[] = [];
  for (const name of names) {
    const url = name === "Hedy" ? await service.invite(room, name, "host") : room.url;
    people.push(await Person.in(browser, name, url, { line: await watch.line() }));
  }
  return { room, people };
}

/** Everybody sees all the others. */
async function seeEachOther(...people: Person[]): Promise<void> {
  await Promise.all(
    people.flatMap((one) =>
      people.filter((other) => other !== one).map((other) => one.sees(other.name)),
    ),
  );
}

/** Writes a message that is unlike all others, and returns it. */
async function sayAnew(person: Person, words: string): Promise<string> {
  const text = watch.newText(words);
  await say(person, text);
  return text;
}

/** The lock in the panel, which says that everything that arrives is opened. */
async function isLocked(person: Person): Promise<void> {
  const info = await person.openPanel("Info");
  await info.getByText("End-to-end encrypted: keys only on devices").waitFor(soon);
}

async function part(...people: Person[]): Promise<void> {
  await watch.look();
  expect(people.flatMap((person) => person.complaints)).toEqual([]);
  await Promise.all(people.map((person) => person.close()));
}

test("four people see, hear and write to each other, and a removed person no longer does", async () => {
  const { people } = await meeting("Hedy", "Bob", "Cleo", "Dan");
  const [hedy, bob, cleo, dan] = people as [Person, Person, Person, Person];
  await seeEachOther(hedy, bob, cleo, dan);
  await Promise.all([hedy.hears(), dan.hears()]);
  for (const one of people) await one.openPanel("Chat");
  const first = await sayAnew(bob, "Welcome to all");
  await Promise.all([hedy, cleo, dan].map((one) => heard(one, first).waitFor(soon)));
  await isLocked(hedy);

  await hedy.chooseAbout("Dan", "Remove");
  const question = hedy.page.getByRole("alertdialog", { name: "Remove Dan?" });
  await question.getByRole("button", { name: "Remove" }).click();
  await dan.page.getByText("You were removed from the meeting").waitFor(soon);
  const second = await sayAnew(cleo, "Dan is out");
  await heard(bob, second).waitFor(soon);
  await seeEachOther(hedy, bob, cleo);
  await isLocked(bob);
  await part(...people);
});

test("people in a breakout room see and read only the others who are there", async () => {
  const { room, people } = await meeting("Hedy", "Bob", "Cleo");
  const [hedy, bob, cleo] = people as [Person, Person, Person];
  await seeEachOther(hedy, bob, cleo);
  const session = await openBreakouts(service, room, { Bob: 0, Cleo: 0 }, { auto_join: true });
  const [first] = session.rooms;
  if (!first) throw new Error("no breakout room");
  await Promise.all([isIn(bob, first.name), isIn(cleo, first.name)]);
  await seeEachOther(bob, cleo);
  for (const one of people) await one.openPanel("Chat");
  const apart = await sayAnew(bob, "Only for Cleo");
  await heard(cleo, apart).waitFor(soon);

  await service.call("POST", `/rooms/${room.id}/breakouts/end`, { warn: false });
  await seeEachOther(hedy, bob, cleo);
  const together = await sayAnew(hedy, "Welcome back");
  await Promise.all([bob, cleo].map((one) => heard(one, together).waitFor(soon)));
  expect(await heard(hedy, apart).count()).toBe(0);
  await part(...people);
});

test("a muted person is seen again when the keys of a newcomer came late to a device", async () => {
  const { room, people } = await meeting("Hedy", "Bob");
  const [hedy, bob] = people as [Person, Person];
  await hedy.control("Mute").click();
  await bob.sees("Hedy");
  const isLate = new AbortController();
  await bob.page.route(/group\/messages/, async (route) => {
    if (!isLate.signal.aborted) await once(isLate.signal, "abort");
    await route.continue();
  });
  // Hedy sends with keys that Bob has not got yet, for longer than a single lost message takes.
  const cleo = await Person.in(browser, "Cleo", room.url, { line: await watch.line() });
  await bob.tile("Hedy").getByText("Your keys do not match", { exact: false }).waitFor(soon);
  isLate.abort();
  await bob.sees("Hedy");
  await seeEachOther(bob, cleo);
  await part(hedy, bob, cleo);
});

test("people come back after a reload, and after the service was killed", async () => {
  const { people } = await meeting("Hedy", "Bob");
  const [hedy, bob] = people as [Person, Person];
  await seeEachOther(hedy, bob);
  const early = await sayAnew(hedy, "You may miss this");
  await bob.page.reload();
  await bob.join();
  await seeEachOther(hedy, bob);
  for (const one of people) await one.openPanel("Chat");
  await heard(bob, early).waitFor(soon);
  const anew = await Promise.all([hedy.seesAnew("Bob"), bob.seesAnew("Hedy")]);
  await service.kill();
  await service.up();
  await Promise.all(anew.map((sees) => sees()));
  const greeting = await sayAnew(bob, "Here again");
  const answer = await sayAnew(hedy, "So am I");
  await Promise.all([heard(hedy, greeting), heard(bob, answer)].map((one) => one.waitFor(soon)));
  await isLocked(hedy);
  await part(...people);
});

test("LiveKit's own client with a person's token opens nothing, and nothing of it is shown", async () => {
  const { room, people } = await meeting("Hedy", "Bob");
  const [hedy, bob] = people as [Person, Person];
  await seeEachOther(hedy, bob);
  const seat = await join(room, { strict: 1 });
  expect([seat.status, seat.body.e2ee_passphrase]).toEqual([200, null]);
  const stock = await site.open(browser);
  const guessed = { ...seat.body, e2ee_passphrase: "x".repeat(43) };
  await stock.page.evaluate((given) => window.enterStock(given), guessed);
  await expect
    .poll(() => stock.page.evaluate(() => window.stockErrors.length), soon)
    .toBeGreaterThan(0);
  await hedy.told("This device has no key for what somebody here sends").waitFor(soon);
  await seeEachOther(hedy, bob);
  expect(await stock.page.evaluate(() => window.firstFrame)).toBeNull();
  expect(await stock.framesDecoded()).toBe(0);
  expect(await hedy.tile("Stock").locator("video").count()).toBe(0);
  await Promise.all([part(hedy, bob), stock.close()]);
});

test("a page that does not speak the protocol of strict rooms is refused, and told why", async () => {
  const room = await service.makeRoom({ encryption: "strict" });
  const { status, body } = await join(room, {});
  expect([status, body.error?.code]).toEqual([409, "encryption_strict"]);
  const old = await Person.at(browser, "Ada", room.url, { prepare: forgetStrict });
  await old.page
    .getByText("This room keeps its keys only on devices, and this page cannot make them")
    .waitFor(soon);
  // The same page would be refused again, and the next one may speak the protocol.
  expect(await old.page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  await old.page.unrouteAll();
  const next = old.page.waitForEvent("load", soon);
  await old.page.getByRole("button", { name: "Reload" }).click();
  await next;
  await old.page.getByRole("button", { name: "Join now" }).waitFor(soon);
  await old.close();
});

test("a search finds no key and no message of these meetings at the service", async () => {
  await watch.expectNothing("Hedy");
});

interface Answer extends Credentials {
  readonly error?: { readonly code: string };
}

/** Joins by the meeting protocol, without a page. */
async function join(room: Room, more: object): Promise<{ status: number; body: Answer }> {
  const response = await fetch(`${service.url}/meet/v1/join`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code: room.code, name: "Stock", ...more }),
  });
  return { status: response.status, body: (await response.json()) as Answer };
}

/** Changes the page's requests into those of an older page. */
async function forgetStrict(page: Page): Promise<void> {
  await page.route("**/meet/v1/*", async (route) => {
    const body = route.request().postDataJSON() as Record<string, unknown> | null;
    if (!body) return route.continue();
    const { strict: _, ...rest } = body;
    return route.continue({ postData: rest });
  });
}
