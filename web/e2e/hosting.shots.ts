import type { Browser } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { openBrowser, Person, type PersonOptions } from "./people";
import { desktop, looking, phone, shoot } from "./screenshots";
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

async function knocks(name: string, url: string, options: PersonOptions): Promise<Person> {
  const person = await Person.at(browser, name, url, options);
  await person.page.getByRole("textbox", { name: "Your name" }).fill(name);
  await person.page.getByRole("button", { name: "Ask to join" }).click();
  await person.told("Waiting for a host").waitFor();
  return person;
}

test("hosts: people, the waiting list, and the room's settings", async () => {
  const room = await service.makeRoom();
  const link = await service.invite(room, "Hedy Lamarr", "host");
  const hedy = await Person.in(browser, "Hedy Lamarr", link, looking(200));
  const others = [
    await Person.in(browser, "Grace Hopper", room.url, looking(20)),
    await Person.in(browser, "Katherine Coleman Goble Johnson", room.url, looking(110)),
  ];
  await hedy.sees("Grace Hopper");
  await hedy.chooseAbout("Grace Hopper", "Make co-host");
  await others[1]?.control("Raise hand").click();
  await service.call("PATCH", `/rooms/${room.id}`, { settings: { admission: "knock" } });
  for (const [shot, name, more] of [
    ["waiting-light", "Emmy Noether", {}],
    ["waiting-dark", "محمد بن موسى الخوارزمي", { colorScheme: "dark" }],
    ["waiting-phone", "Alan Turing", { viewport: phone }],
  ] as const) {
    const waiting = await knocks(name, room.url, looking(280, more));
    others.push(waiting);
    await waiting.page.waitForTimeout(300);
    await shoot(waiting.page, shot);
  }
  for (const [size, viewport] of [
    ["", desktop],
    ["-phone", phone],
  ] as const) {
    await hedy.page.setViewportSize(viewport);
    const people = await hedy.openPanel("People");
    await hedy.page.waitForTimeout(400);
    await shoot(hedy.page, `hosting-people${size}`);
    await people.getByRole("button", { name: "More actions for Katherine" }).last().click();
    await hedy.page.getByRole("menuitem").first().waitFor();
    await shoot(hedy.page, `hosting-menu${size}`);
    await hedy.page.getByRole("menuitem", { name: "Remove" }).click();
    await hedy.page.getByRole("alertdialog").waitFor();
    await shoot(hedy.page, `hosting-remove${size}`);
    await hedy.page.getByRole("button", { name: "Cancel" }).click();
    await hedy.openPanel("Host controls");
    await hedy.page.waitForTimeout(400);
    await shoot(hedy.page, `hosting-controls${size}`);
    await hedy.page.getByRole("button", { name: "Close panel" }).click();
    await hedy.control("Leave").click();
    await hedy.page.getByRole("menuitem").first().waitFor();
    await shoot(hedy.page, `hosting-leave${size}`);
    await hedy.page.keyboard.press("Escape");
  }
  await Promise.all([hedy, ...others].map((person) => person.close()));
});

test("a webinar: stage and audience", async () => {
  const room = await service.makeWebinar();
  const link = await service.invite(room, "Hedy Lamarr", "host");
  const hedy = await Person.in(browser, "Hedy Lamarr", link, looking(200));
  const ada = await Person.at(browser, "Ada Lovelace", room.url, looking(20));
  await ada.page.getByRole("button", { name: "Join now" }).waitFor();
  await shoot(ada.page, "webinar-pre-join");
  await ada.join();
  const grace = await Person.in(browser, "Grace Hopper", room.url, looking(110));
  await Promise.all([ada.sees("Hedy Lamarr"), grace.sees("Hedy Lamarr")]);
  await ada.control("Raise hand").click();
  await hedy.openPanel("People");
  await grace.control("React").click();
  await grace.page.getByRole("menuitem", { name: "👏" }).click();
  await hedy.page.getByRole("img", { name: "Grace Hopper reacted with 👏" }).waitFor();
  await shoot(hedy.page, "webinar-host");
  await hedy.chooseAbout("Ada Lovelace", "Invite to the stage");
  await ada.told("You are on stage").waitFor();
  await ada.page.waitForTimeout(300);
  await shoot(ada.page, "webinar-on-stage");
  await ada.page.setViewportSize(phone);
  await ada.page.waitForTimeout(300);
  await shoot(ada.page, "webinar-on-stage-phone");
  await Promise.all([hedy, ada, grace].map((person) => person.close()));
});
