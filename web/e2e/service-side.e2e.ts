import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, Person, quickly, soon } from "./people";
import { ServiceUnderTest } from "./service";

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

test("a deleted room says so, at once and to later visitors", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  await service.call("DELETE", `/rooms/${room.id}`);
  await ada.page.getByRole("heading", { name: "This room was deleted" }).waitFor(quickly);
  await ada.page.goto(room.url);
  await ada.page
    .getByRole("alert")
    .getByText("This room does not exist or its link has stopped working")
    .waitFor(quickly);
  await ada.close();
});

test("a locked room keeps strangers out, and lets its people come back", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  await service.call("PATCH", `/rooms/${room.id}`, { locked: true });
  const eve = await Person.at(browser, "Eve", room.url);
  await eve.page.getByRole("alert").getByText("This room is locked").waitFor(quickly);
  await ada.page.reload();
  await ada.join();
  await expect.poll(async () => (await service.participants(room)).length, soon).toBe(1);
  await Promise.all([ada.close(), eve.close()]);
});

test("a join link gives name and role, and redirects people when they leave", async () => {
  const room = await service.makeRoom();
  const link = await service.call<{ url: string }>("POST", `/rooms/${room.id}/join-links`, {
    name: "Grace",
    role: "host",
    avatar: "a06",
    redirect_url: "https://after.example.com/thanks",
  });
  const grace = await Person.at(browser, "Grace", link.url, {
    prepare: (page) =>
      page.route("https://after.example.com/**", (route) => route.fulfill({ body: "Thanks" })),
  });
  const field = grace.page.getByRole("textbox", { name: "Your name" });
  await field.waitFor(quickly);
  expect(await field.inputValue()).toBe("Grace");
  await grace.join();
  const people = await grace.openPanel("People");
  await people.getByText("Host", { exact: true }).waitFor(quickly);
  await grace.control("Leave").click();
  await grace.page.getByRole("menuitem", { name: "Leave", exact: true }).click();
  await grace.page.waitForURL("https://after.example.com/thanks", quickly);
  await grace.close();
});

test("a room may make everyone join with microphone and camera off", async () => {
  const room = await service.makeRoom({ mute_on_entry: true, camera_off_on_entry: true });
  const ada = await Person.in(browser, "Ada", room.url);
  await ada.control("Unmute").waitFor(quickly);
  await ada.control("Start camera").waitFor(quickly);
  const bob = await Person.in(browser, "Bob", room.url);
  await bob.control("Unmute").click();
  await ada.hears();
  await Promise.all([ada.close(), bob.close()]);
});

test("people come back by themselves after the service was killed and restarted", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  const bob = await Person.in(browser, "Bob", room.url);
  await Promise.all([ada.sees("Bob"), bob.sees("Ada")]);
  await ada.control("Mute").click();
  await bob.control("Raise hand").click();
  await bob.control("Lower hand").waitFor(quickly);
  const before = (await service.participants(room)).map(({ identity }) => identity).sort();

  await service.kill();
  for (const person of [ada, bob]) await person.told("Reconnecting...").waitFor(soon);
  await service.up();
  for (const person of [ada, bob]) {
    await person.told("Reconnecting...").waitFor({ ...soon, state: "detached" });
  }
  await Promise.all([ada.sees("Bob"), bob.sees("Ada"), ada.hears()]);
  await ada.control("Unmute").waitFor(quickly);
  await bob.control("Lower hand").waitFor(quickly);
  const after = (await service.participants(room)).map(({ identity }) => identity).sort();
  expect(after).toEqual(before);
  await Promise.all([ada.close(), bob.close()]);
});

test("both sides show a wrong key, and decode nothing", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  const eve = await Person.at(browser, "Eve", room.url, {
    prepare: (page) =>
      // Either answer may bring the key.
      page.route(/\/meet\/v1\/(join|token)$/, async (route) => {
        const response = await route.fetch();
        const seat = (await response.json()) as { e2ee_passphrase: string };
        const wrong = { ...seat, e2ee_passphrase: "A".repeat(43) };
        await route.fulfill({ response, json: wrong });
      }),
  });
  await eve.join();
  await ada
    .tile("Eve")
    .getByText("Your keys do not match, so Eve cannot be seen or heard")
    .waitFor(soon);
  await eve.page
    .getByRole("status")
    .getByText("This device's key does not match the meeting")
    .waitFor(soon);
  expect(await eve.framesDecoded()).toBe(0);
  expect(await ada.framesDecoded()).toBe(0);
  const chat = await eve.openPanel("Chat");
  const received = await ada.receives();
  await chat.getByRole("textbox", { name: "Message" }).fill("psst");
  await chat.getByRole("button", { name: "Send" }).click();
  await received();
  const log = (await ada.openPanel("Chat")).getByRole("log");
  await log.getByText("No messages yet").waitFor(quickly);
  expect(await log.getByText("psst").count()).toBe(0);
  await Promise.all([ada.close(), eve.close()]);
});
