import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hasFocus } from "./looks";
import { openBrowser, Person, part, quickly, soon } from "./people";
import { ServiceUnderTest } from "./service";

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
  await service.addMember("olga@acme.example", "Olga", "admin", password);
  await service.addMember("bob@acme.example", "Bob", "member", password);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const password = "correct horse battery";
const membersOnly = { access: "members" };

const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });

async function signIn(page: Page, email: string, secret = password): Promise<void> {
  await field(page, "E-mail address").fill(email);
  await page.getByLabel("Password").fill(secret);
  await button(page, "Sign in").click();
}

/** Opens a room's page in a browser where the person is signed in. */
async function signedIn(name: string, url: string): Promise<Person> {
  const email = `${name.toLowerCase()}@acme.example`;
  const person = await Person.at(browser, name, url, {
    prepare: ({ request }) =>
      request.post(`${service.url}/account/v1/sign-in`, { data: { email, password } }),
  });
  await person.page.getByText(`Signed in as ${email}`).waitFor(quickly);
  return person;
}

async function walkIn(person: Person): Promise<void> {
  const name = field(person.page, "Your name");
  expect(await name.inputValue()).toBe(person.name);
  expect(await name.isEditable()).toBe(false);
  await button(person.page, "Join now").click();
  await person.isInside();
}

test("members go straight into their room under their names, and a host admits others", async () => {
  const room = await service.makeRoom(membersOnly);
  const gus = await Person.at(browser, "Gus", room.url);
  await link(gus.page, "Sign in").waitFor(quickly);
  // A stranger learns that the room exists, and nothing more about it.
  const heading = gus.page.getByRole("heading", { level: 1 });
  expect(await heading.textContent()).toBe("A room for members");
  expect(await gus.violations()).toEqual([]);
  await field(gus.page, "Your name").fill("Gus");
  await button(gus.page, "Ask to join").click();
  await gus.told("Waiting for a host to let you in").waitFor(quickly);
  expect(await heading.textContent()).toBe("A room for members");
  expect(await gus.page.title()).not.toContain(room.name);

  const bob = await signedIn("Bob", room.url);
  expect(await bob.violations()).toEqual([]);
  await walkIn(bob);
  const people = await bob.openPanel("People");
  expect(await people.getByRole("list", { name: "Waiting to join" }).count()).toBe(0);
  expect(await people.getByText("Host", { exact: true }).count()).toBe(0);

  const olga = await signedIn("Olga", room.url);
  await walkIn(olga);
  await people.getByText("Host", { exact: true }).waitFor(soon);
  const line = (await olga.openPanel("People")).getByRole("list", { name: "Waiting to join" });
  await line.getByText("Gus").waitFor(soon);
  expect(await people.getByRole("list", { name: "Waiting to join" }).count()).toBe(0);
  await line.getByRole("button", { name: "Admit", exact: true }).click();
  await gus.isInside();
  await Promise.all([gus.sees("Olga"), olga.sees("Gus"), bob.sees("Gus")]);
  const roles = (await service.participants(room)).map(({ identity, name, role }) => [
    identity.split("_")[0],
    name,
    role,
  ]);
  expect(roles).toEqual([
    ["user", "Bob", "participant"],
    ["user", "Olga", "host"],
    ["guest", "Gus", "participant"],
  ]);

  // A reload comes back to the same seat, in one click.
  const before = (await service.participants(room)).find(({ name }) => name === "Olga");
  await olga.page.reload();
  await walkIn(olga);
  await expect
    .poll(async () => (await service.participants(room)).map(({ identity }) => identity), soon)
    .toContain(before?.identity);
  await part(gus, bob, olga);
});

test("a host at the locked room unlocks it and joins", async () => {
  const room = await service.makeRoom();
  const olga = await signedIn("Olga", room.url);
  await walkIn(olga);
  const gus = await Person.in(browser, "Gus", room.url);
  const host = await olga.openPanel("Host controls");
  await host.getByRole("switch", { name: "Lock room" }).click();
  await expect.poll(async () => (await service.room(room)).locked, soon).toBe(true);
  await olga.control("Leave").click();
  await olga.page.getByRole("menuitem", { name: "Leave" }).click();
  await olga.page.getByRole("heading", { name: "You left the meeting" }).waitFor(quickly);
  await olga.page.goto(room.url);
  const locked = olga.page.getByRole("alert").filter({ hasText: "This room is locked" });
  await locked.waitFor(quickly);
  expect(await olga.violations()).toEqual([]);

  // Nobody else gets this button.
  const dan = await Person.at(browser, "Dan", room.url);
  await dan.page.getByRole("heading", { name: "This room is locked" }).waitFor(quickly);
  expect(await button(dan.page, "Unlock and join").count()).toBe(0);

  await button(olga.page, "Unlock and join").click();
  await olga.isInside();
  await olga.sees("Gus");
  expect((await service.room(room)).locked).toBe(false);
  await button(dan.page, "Try again").click();
  await field(dan.page, "Your name").fill("Dan");
  await button(dan.page, "Join now").click();
  await dan.isInside();
  await part(olga, gus, dan);
});

test("a guest who is a member signs in and goes straight in", async () => {
  const room = await service.makeRoom(membersOnly);
  const bob = await Person.at(browser, "Bob", room.url);
  await field(bob.page, "Your name").fill("Bobby");
  await button(bob.page, "Ask to join").click();
  await bob.told("Waiting for a host to let you in").waitFor(quickly);
  await button(bob.page, "Stop waiting").click();
  await link(bob.page, "Sign in").click();
  await signIn(bob.page, "bob@acme.example");
  await bob.page.getByText("Signed in as bob@acme.example").waitFor(quickly);
  expect(bob.page.url()).toBe(room.url);
  await walkIn(bob);
  await expect
    .poll(async () => (await service.participants(room)).map(({ name }) => name), soon)
    .toEqual(["Bob"]);
  await part(bob);
});

test("a person can sign out another person's account before they join", async () => {
  const room = await service.makeRoom();
  const olga = await signedIn("Olga", room.url);
  await button(olga.page, "Sign out").click();
  await link(olga.page, "Sign in").waitFor(quickly);
  expect(await field(olga.page, "Your name").inputValue()).toBe("");
  await field(olga.page, "Your name").fill("Grandchild");
  await button(olga.page, "Join now").click();
  await olga.toolbar.waitFor(soon);
  const inside = async () =>
    (await service.participants(room)).map(({ identity, name, role }) => [
      identity.split("_")[0],
      name,
      role,
    ]);
  await expect.poll(inside, soon).toEqual([["guest", "Grandchild", "participant"]]);
  await part(olga);
});

test("a password is changed, and the other devices are signed out", async () => {
  await service.addMember("liz@acme.example", "Liz", "member", password);
  const home = `${service.url}/`;
  const [here, elsewhere] = await Promise.all(
    [home, home].map(async (url) => {
      const person = await Person.at(browser, "Liz", url);
      await link(person.page, "Sign in").click();
      await signIn(person.page, "liz@acme.example");
      await link(person.page, "Liz").waitFor(quickly);
      return person;
    }),
  );
  if (!here || !elsewhere) throw new Error("nobody is there");
  const { page } = here;
  await link(page, "Liz").click();
  await page.getByRole("heading", { name: "Your account" }).waitFor(quickly);
  expect(await here.violations()).toEqual([]);

  const change = async (current: string, wanted: string) => {
    await page.getByLabel("Current password").fill(current);
    await page.getByLabel("New password").fill(wanted);
    await button(page, "Change password").click();
  };
  await change("", "a new password");
  await page.getByText("Enter your current password.").waitFor(quickly);
  expect(await hasFocus(page.getByLabel("Current password"))).toBe(true);
  expect(await page.getByRole("alert").count()).toBe(0);
  await change("wrong horse battery", "a new password");
  await page.getByRole("alert").getByText("This is not your current password.").waitFor(quickly);
  await change(password, "short");
  await page.getByText("Use at least 10 characters.").waitFor(quickly);
  await change(password, password);
  await page.getByRole("alert").getByText("Choose another one.").waitFor(quickly);
  await change(password, "a new password");
  await here.told("Your password is changed.").waitFor(quickly);
  expect(await here.violations()).toEqual([]);

  await page.goto(home);
  await link(page, "Liz").waitFor(quickly);
  await elsewhere.page.reload();
  await link(elsewhere.page, "Sign in").click();
  await signIn(elsewhere.page, "liz@acme.example", "a new password");
  await link(elsewhere.page, "Liz").waitFor(quickly);

  // A person who is not signed in signs in first, and then comes back to the account.
  await button(elsewhere.page, "Sign out").click();
  await link(elsewhere.page, "Sign in").waitFor(quickly);
  await elsewhere.page.goto(`${service.url}/account`);
  await signIn(elsewhere.page, "liz@acme.example", "a new password");
  await elsewhere.page.getByRole("heading", { name: "Your account" }).waitFor(quickly);
  await part(here, elsewhere);
});
