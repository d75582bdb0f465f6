import type { Browser } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { Line } from "./line";
import { openBrowser, Person } from "./people";
import { playScreen } from "./played-camera";
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

const looks = [
  ["light", { viewport: desktop }],
  ["dark", { viewport: desktop, colorScheme: "dark" }],
  ["phone", { viewport: phone }],
  ["phone-dark", { viewport: phone, colorScheme: "dark" }],
] as const;

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

test("a page that is not there, and the documentation", async () => {
  for (const [look, more] of looks) {
    const ada = await Person.at(browser, "Ada", `${service.url}/no/such/page`, more);
    await ada.page.getByRole("button", { name: "Go to the start page" }).waitFor();
    await shoot(ada.page, `missing-${look}`);
    await ada.page.goto(`${service.url}/docs/errors`);
    await shoot(ada.page, `docs-errors-${look}`);
    await ada.page.goto(`${service.url}/docs`);
    await ada.page.getByRole("heading", { name: "Conclave API" }).first().waitFor();
    await shoot(ada.page, `docs-${look}`);
    await ada.close();
  }
});

test("the pre-join page of a running meeting, with and without devices", async () => {
  const room = await service.makeRoom();
  const [bare, grace] = [
    await openBrowser({ flags: ["--deny-permission-prompts"] }),
    await Person.in(browser, "Grace Hopper", room.url, looking(20)),
  ];
  for (const [look, more] of looks) {
    const ada = await Person.at(browser, "Ada", room.url, looking(200, more));
    await ada.page.getByText("is here").waitFor();
    await ada.page.locator("video").evaluate(playing);
    await shoot(ada.page, `pre-join-inside-${look}`);
    await ada.close();
    const bob = await Person.at(bare, "Bob", room.url, {
      ...more,
      prepare: (page) => page.addInitScript(unplug),
    });
    await bob.page.getByRole("alert").waitFor();
    await shoot(bob.page, `pre-join-no-devices-${look}`);
    await bob.close();
  }
  await grace.close();
  await bare.close();
});

test("somebody waits, somebody reloads, somebody loses the network", async () => {
  // The lines connect to this address.
  const local = await ServiceUnderTest.start(async () => ["--media-node-ip", "127.0.0.1"]);
  const room = await local.makeRoom();
  const host = await local.invite(room, "Hedy Lamarr", "host");
  const [own, line] = [await Line.to(local.ports), await Line.to(local.ports)];
  const hedy = await Person.in(browser, "Hedy Lamarr", host, looking(200, { line: own }));
  const grace = await Person.in(browser, "Grace Hopper", room.url, looking(20, { line }));
  await hedy.sees("Grace Hopper");
  await local.call("PATCH", `/rooms/${room.id}`, { settings: { admission: "knock" } });
  const emmy = await Person.at(browser, "Emmy Noether", room.url, looking(280));
  await emmy.page.getByRole("textbox", { name: "Your name" }).fill("Emmy Noether");
  await emmy.page.getByRole("button", { name: "Ask to join" }).click();
  await hedy.told("Someone is waiting").waitFor();
  await shootBoth(hedy, "waiting-banner");
  await emmy.close();
  await hedy.page.reload();
  await hedy.page.getByRole("button", { name: "Join now" }).waitFor();
  await shootBoth(hedy, "reload");
  await hedy.page.getByRole("button", { name: "Join now" }).click();
  await hedy.sees("Grace Hopper");
  line.goSilent();
  await grace.told("Reconnecting...").waitFor();
  await shootBoth(grace, "reconnecting");
  const sign = hedy.tile("Grace Hopper").getByRole("button", { name: "Connection is" });
  await sign.waitFor();
  await sign.click();
  await shootBoth(hedy, "lost-connection");
  await Promise.all([hedy.close(), grace.close()]);
  for (const each of [own, line]) each.close();
  await local.stop();
});

/** Runs in the page: there is no camera and no microphone. */
function unplug(): void {
  const { mediaDevices } = navigator;
  mediaDevices.enumerateDevices = async () => [];
  mediaDevices.getUserMedia = () =>
    Promise.reject(new DOMException("Requested device not found", "NotFoundError"));
}

/** Resolves when a video shows its first picture. */
function playing(video: Element): Promise<void> {
  return new Promise((resolve) => {
    (video as HTMLVideoElement).requestVideoFrameCallback(() => resolve());
  });
}
