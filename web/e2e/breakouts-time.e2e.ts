import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isIn, openSession } from "./breakout-rooms";
import { openBrowser, Person, part, soon } from "./people";
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

test("the rooms close by themselves when the time is over, and everybody is together again", async () => {
  const room = await service.makeRoom();
  const hedy = await Person.in(browser, "Hedy", await service.invite(room, "Hedy", "host"));
  const bob = await Person.in(browser, "Bob", room.url);
  await expect.poll(async () => (await service.participants(room)).length, soon).toBe(2);
  const panel = await hedy.openPanel("Breakout rooms");
  await panel.getByRole("radio", { name: "Assign by hand" }).check();
  await panel.getByRole("combobox", { name: "Room for Bob" }).selectOption("Room 1");
  // The shortest duration is one minute, all of it with the warning.
  await panel.getByRole("combobox", { name: "Duration" }).selectOption("1 minute");
  await panel.getByRole("button", { name: "Open rooms" }).click();
  await isIn(bob, "Room 1");
  for (const person of [hedy, bob])
    await person.told(/^Rooms close in (1:00|0:\d\d)$/).waitFor(soon);
  // On a phone it is a line of the header, so that a banner covers the picture, not two.
  await bob.page.setViewportSize({ width: 360, height: 740 });
  const message = { message: "Half a minute left" };
  await service.call("POST", `/rooms/${room.id}/breakouts/announce`, message);
  await bob.told("Half a minute left").waitFor(soon);
  const header = bob.page.getByRole("banner").getByRole("status");
  expect(await header.allTextContents()).toEqual([
    expect.stringMatching(/^Rooms close in 0:\d\d$/),
  ]);
  expect(await bob.page.getByRole("status").count()).toBe(2);
  await bob.told("Rooms close in").waitFor({ state: "detached", timeout: 90_000 });
  await Promise.all([hedy.sees("Bob"), bob.sees("Hedy")]);
  await Promise.all([hedy.hears(), bob.hears()]);
  expect((await openSession(service, room)).rooms).toEqual([]);
  await part(hedy, bob);
});

test("a double click on the button opens the rooms once", async () => {
  const room = await service.makeRoom();
  const hedy = await Person.in(browser, "Hedy", await service.invite(room, "Hedy", "host"));
  let requests = 0;
  let answer = () => {};
  const clicked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await hedy.page.route("**/breakouts", async (route) => {
    requests += 1;
    await clicked;
    await route.continue();
  });
  const panel = await hedy.openPanel("Breakout rooms");
  const open = panel.getByRole("button", { name: "Open rooms" });
  await open.dblclick();
  expect(await open.getAttribute("aria-disabled")).toBe("true");
  answer();
  await panel.getByRole("button", { name: "Add room" }).waitFor(soon);
  expect(requests).toBe(1);
  await part(hedy);
});
