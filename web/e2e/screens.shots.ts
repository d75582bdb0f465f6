import type { Browser } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { openBrowser, Person } from "./people";
import { playScreen } from "./played-camera";
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

test("home and pre-join", async () => {
  const room = await service.makeRoom();
  const home = await Person.at(browser, "Ada", `${service.url}/`, { viewport: desktop });
  await home.page.getByRole("button", { name: "Join" }).waitFor();
  await shoot(home.page, "home");
  await home.close();
  for (const [name, more] of [
    ["pre-join-light", {}],
    ["pre-join-dark", { colorScheme: "dark" }],
    ["pre-join-phone", { viewport: phone }],
  ] as const) {
    const ada = await Person.at(browser, "Ada", room.url, looking(200, more));
    await ada.page.getByRole("textbox", { name: "Your name" }).fill("Ada Lovelace");
    await ada.page.locator("video").evaluate(playing);
    await shoot(ada.page, name);
    await ada.close();
  }
});

test("the pre-join page of members, and an account", async () => {
  await service.addMember("ada@acme.example", "Ada Lovelace", "admin", "correct horse battery");
  const room = await service.makeRoom({ access: "members" });
  for (const [name, more] of [
    ["members", {}],
    ["members-phone", { viewport: phone }],
  ] as const) {
    const ada = await Person.at(browser, "Ada", room.url, looking(200, more));
    await ada.page.locator("video").evaluate(playing);
    await shoot(ada.page, `${name}-outside`);
    await ada.page.getByRole("link", { name: "Sign in" }).click();
    await ada.page.getByRole("textbox", { name: "E-mail address" }).fill("ada@acme.example");
    await ada.page.getByLabel("Password").fill("correct horse battery");
    await ada.page.getByRole("button", { name: "Sign in" }).click();
    await ada.page.getByText("Signed in as").waitFor();
    await ada.page.locator("video").evaluate(playing);
    await shoot(ada.page, `${name}-signed-in`);
    await ada.page.goto(`${service.url}/account`);
    await ada.page.getByRole("heading", { name: "Change password" }).waitFor();
    await shoot(ada.page, `${name}-account`);
    await ada.close();
  }
});

test("a meeting of four", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada Lovelace", room.url, looking(200));
  await ada.page.getByRole("heading", { name: "You're the first one here" }).waitFor();
  await shoot(ada.page, "alone");
  const grace = await Person.in(browser, "Grace Hopper", room.url, looking(20));
  await ada.sees("Grace Hopper");
  await shoot(ada.page, "two");
  const others = [
    await Person.in(browser, "ליאת בן־דוד", room.url, looking(110)),
    await Person.in(browser, "Barbara Liskov", room.url, looking(280, { viewport: phone })),
  ];
  const [liat, barbara] = others;
  await ada.sees("Barbara Liskov");
  await liat?.control("Stop camera").click();
  await grace.control("Raise hand").click();
  await grace.page.waitForTimeout(500);
  await shoot(ada.page, "four");
  const chat = await grace.openPanel("Chat");
  await chat.getByRole("textbox", { name: "Message" }).fill("The notes are in the usual place.");
  await chat.getByRole("button", { name: "Send" }).click();
  await (await ada.openPanel("Chat")).getByText("The notes are").waitFor();
  await shoot(ada.page, "chat");
  await ada.openPanel("People");
  await shoot(ada.page, "people");
  await grace.page.evaluate(playScreen);
  await grace.control("Share screen").click();
  await ada.sees("Grace Hopper's screen");
  await shoot(ada.page, "shared-screen");
  if (barbara) await shoot(barbara.page, "shared-screen-phone");
  await Promise.all([ada, grace, ...others].map((person) => person.close()));
});

/** Resolves when a video shows its first picture. */
function playing(video: Element): Promise<void> {
  return new Promise((resolve) => {
    (video as HTMLVideoElement).requestVideoFrameCallback(() => resolve());
  });
}
