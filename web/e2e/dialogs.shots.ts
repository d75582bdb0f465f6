import type { Browser } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { openBrowser, Person } from "./people";
import { playScreen } from "./played-camera";
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

test("a poll: its form, the choice, the counts", async () => {
  const room = await service.makeRoom();
  const link = await service.invite(room, "Hedy Lamarr", "host");
  const hedy = await Person.in(browser, "Hedy Lamarr", link, looking(200));
  const grace = await Person.in(browser, "Grace Hopper", room.url, looking(20));
  await hedy.sees("Grace Hopper");
  const panel = await hedy.openPanel("Polls");
  await panel.getByRole("button", { name: "New poll" }).click();
  await panel.getByRole("textbox", { name: "Question" }).fill("When shall we meet?");
  await panel.getByRole("textbox", { name: "Option 1" }).fill("Monday");
  await panel.getByRole("textbox", { name: "Option 2" }).fill("Friday");
  await panel.getByRole("button", { name: "Add option" }).click();
  await panel.getByRole("textbox", { name: "Option 3" }).fill("Never");
  await shootBoth(hedy, "poll-new");
  await panel.getByRole("button", { name: "Start poll" }).click();
  const vote = grace.page.getByRole("button", { name: "Vote" });
  await vote.waitFor();
  await shootBoth(grace, "poll-vote");
  await grace.page.getByRole("radio", { name: "Friday" }).check();
  await vote.click();
  await panel.getByText("100%").waitFor();
  await shootBoth(hedy, "poll-counts");
  await Promise.all([hedy, grace].map((person) => person.close()));
});

test("a screen of one's own, the question at the browser's Back, and a removal", async () => {
  const room = await service.makeRoom();
  const link = await service.invite(room, "Hedy Lamarr", "host");
  const hedy = await Person.in(browser, "Hedy Lamarr", link, looking(200));
  const grace = await Person.at(browser, "Grace Hopper", `${service.url}/`, looking(20));
  await grace.page.goto(room.url);
  await grace.join();
  await hedy.sees("Grace Hopper");
  await grace.page.evaluate(playScreen);
  await grace.control("Share screen").click();
  await hedy.sees("Grace Hopper's screen");
  await shootBoth(grace, "own-screen");
  await grace.page.goBack();
  await grace.page.getByRole("alertdialog").waitFor();
  await shootBoth(grace, "back");
  await grace.page.getByRole("button", { name: "Stay" }).click();
  await hedy.chooseAbout("Grace Hopper", "Remove");
  await hedy.page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await grace.page.getByRole("heading", { name: "You were removed" }).waitFor();
  await shootBoth(grace, "removed");
  await Promise.all([hedy, grace].map((person) => person.close()));
});

test("a password that is wrong", async () => {
  await service.addMember("ada@acme.example", "Ada Lovelace", "admin", "correct horse battery");
  const ada = await Person.at(browser, "Ada", `${service.url}/`, looking(200));
  await ada.page.getByRole("link", { name: "Sign in" }).click();
  await ada.page.getByRole("textbox", { name: "E-mail address" }).fill("ada@acme.example");
  await ada.page.getByLabel("Password").fill("a wrong password");
  await ada.page.getByRole("button", { name: "Sign in" }).click();
  await ada.page.getByRole("alert").waitFor();
  await shootBoth(ada, "sign-in-wrong");
  await ada.close();
});
