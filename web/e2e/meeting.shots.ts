import type { Browser } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { openBrowser, Person } from "./people";
import { desktop, looking, phone, shoot, shootBoth } from "./screenshots";
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

test("what a host asks of people, the spotlight, and a new name", async () => {
  const room = await service.makeRoom();
  const link = await service.invite(room, "Hedy Lamarr", "host");
  const hedy = await Person.in(browser, "Hedy Lamarr", link, looking(200));
  const grace = await Person.in(browser, "Grace Hopper", room.url, looking(20));
  await hedy.sees("Grace Hopper");

  await grace.control("Mute").click();
  await hedy.tile("Grace Hopper").getByRole("img", { name: "Muted" }).waitFor();
  await hedy.chooseAbout("Grace Hopper", "Ask to unmute");
  await grace.told("A host asks you to unmute").waitFor();
  await shootBoth(grace, "asked-to-unmute");
  await hedy.chooseAbout("Grace Hopper", "Stop camera");
  await grace.told("A host stopped your camera").waitFor();
  await shootBoth(grace, "two-banners");
  await grace.control("Unmute").click();

  await hedy.chooseAbout("Grace Hopper", "Spotlight for everyone");
  await hedy.tile("Grace Hopper").getByRole("img", { name: "In the spotlight" }).waitFor();
  await shootBoth(hedy, "spotlight");
  await grace.chooseAbout("Grace Hopper", "Rename");
  await grace.page.getByRole("dialog").waitFor();
  await shootBoth(grace, "rename");
  await Promise.all([hedy, grace].map((person) => person.close()));
});

const widths = {
  phone,
  "640": { width: 640, height: 800 },
  "900": { width: 900, height: 700 },
  desktop,
};

test("a panel beside the stage, from phones to desktops", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada Lovelace", room.url, looking(200));
  const grace = await Person.in(browser, "Grace Hopper", room.url, looking(20));
  await ada.sees("Grace Hopper");
  await ada.openPanel("People");
  for (const [name, size] of Object.entries(widths)) {
    await ada.page.setViewportSize(size);
    await ada.page.waitForTimeout(400);
    await shoot(ada.page, `panel-${name}`);
  }
  await Promise.all([ada, grace].map((person) => person.close()));
});
