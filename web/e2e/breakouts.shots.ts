import type { Browser } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { openBrowser, Person } from "./people";
import { looking, shootBoth } from "./screenshots";
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

test("breakout rooms: planned, invited, inside, announced, closing", async () => {
  const room = await service.makeRoom();
  const link = await service.invite(room, "Hedy Lamarr", "host");
  const hedy = await Person.in(browser, "Hedy Lamarr", link, looking(200));
  const grace = await Person.in(browser, "Grace Hopper", room.url, looking(20));
  const emmy = await Person.in(browser, "Katherine Coleman Goble Johnson", room.url, looking(110));
  await hedy.sees("Grace Hopper");
  const panel = await hedy.openPanel("Breakout rooms");
  await panel.getByText("Now: up to 2 people, at most 1 in each room").waitFor();
  await shootBoth(hedy, "breakouts-plan");
  await panel.getByRole("switch", { name: "Name the rooms" }).check();
  await panel.getByRole("textbox", { name: "Name of room 1" }).fill("The garden behind the house");
  await panel.getByRole("radio", { name: "Assign by hand" }).check();
  for (const name of ["Grace Hopper", "Katherine Coleman Goble Johnson"]) {
    await panel.getByRole("combobox", { name: `Room for ${name}` }).selectOption({ index: 1 });
  }
  await shootBoth(hedy, "breakouts-plan-by-hand");
  await panel.getByRole("combobox", { name: "Room for Kath" }).scrollIntoViewIfNeeded();
  await shootBoth(hedy, "breakouts-plan-people");
  await panel.getByRole("switch", { name: "Move people at once" }).uncheck();
  await panel.getByRole("button", { name: "Open rooms" }).click();
  const asked = grace.told("A host has given you a room");
  await asked.waitFor();
  await shootBoth(grace, "breakouts-asked");
  await asked.getByRole("button", { name: "Join" }).click();
  await emmy.told("A host has given you a room").getByRole("button", { name: "Join" }).click();
  await grace.sees("Katherine Coleman Goble Johnson");
  await shootBoth(grace, "breakouts-inside");
  await grace.openPanel("Breakout rooms");
  await shootBoth(grace, "breakouts-own-room");
  await shootBoth(hedy, "breakouts-host");
  await panel.getByRole("button", { name: "Move to..." }).last().click();
  await hedy.page.getByRole("menuitem").first().waitFor();
  await shootBoth(hedy, "breakouts-move");
  await hedy.page.keyboard.press("Escape");
  await panel.getByRole("button", { name: "Rename" }).first().click();
  await shootBoth(hedy, "breakouts-rename");
  await panel.getByRole("button", { name: "Cancel" }).click();
  await panel.getByRole("textbox", { name: "Announcement" }).fill("Five minutes left");
  await panel.getByRole("button", { name: "Send to all rooms" }).click();
  await grace.told("Five minutes left").waitFor();
  await panel.getByRole("button", { name: "Close rooms" }).click();
  await shootBoth(hedy, "breakouts-close");
  await hedy.page.getByRole("menuitem", { name: "Close in 60 seconds" }).click();
  await grace.told("Rooms close in").waitFor();
  await shootBoth(grace, "breakouts-closing");
  await hedy.openPanel("People");
  await shootBoth(hedy, "breakouts-people");
  const chat = await grace.openPanel("Chat");
  await chat.getByRole("textbox", { name: "Message" }).fill("Only for this room");
  await chat.getByRole("button", { name: "Send" }).click();
  await shootBoth(grace, "breakouts-chat");
  await Promise.all([hedy, grace, emmy].map((person) => person.close()));
});
