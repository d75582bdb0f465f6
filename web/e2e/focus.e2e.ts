import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hasFocus } from "./looks";
import { openBrowser, Person, part, quickly, soon } from "./people";
import { type Room, ServiceUnderTest } from "./service";
import { playAnHour } from "./waiting-page";

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** The element that gets the focus in a meeting when nothing else has it. */
const tiles = ({ page }: Person) => page.getByRole("main", { name: "People in the meeting" });

async function host(room: Room): Promise<Person> {
  const hedy = await Person.at(browser, "Hedy", await service.invite(room, "Hedy", "host"));
  await button(hedy.page, "Join now").press("Enter");
  await hedy.isInside();
  return hedy;
}

test("people who come in, wait, or let somebody in keep the focus of the keyboard", async () => {
  const room = await service.makeRoom({ admission: "knock" });
  const hedy = await host(room);
  expect(await hasFocus(tiles(hedy))).toBe(true);

  const bob = await Person.at(browser, "Bob", room.url, {
    prepare: (page) => page.addInitScript(playAnHour),
  });
  await bob.page.getByRole("textbox", { name: "Your name" }).fill("Bob");
  await button(bob.page, "Ask to join").press("Enter");
  const waits = bob.told("Waiting for a host to let you in");
  await waits.waitFor(quickly);
  expect(await hasFocus(waits)).toBe(true);
  await bob.page.evaluate(() => window.dispatchEvent(new Event("an-hour-later")));
  await button(bob.page, "Ask again").press("Enter");
  await waits.waitFor(quickly);
  await expect.poll(() => hasFocus(waits), quickly).toBe(true);

  const banner = hedy.told("Someone is waiting");
  await banner.getByRole("button", { name: "Admit", exact: true }).press("Enter");
  await banner.waitFor({ state: "detached", ...soon });
  await expect.poll(() => hasFocus(tiles(hedy)), quickly).toBe(true);
  await bob.isInside();
  expect(await hasFocus(tiles(bob))).toBe(true);
  await part(hedy, bob);
});

test("the focus is in the list of people when a person leaves as they are removed", async () => {
  const room = await service.makeRoom();
  const hedy = await host(room);
  const bob = await Person.in(browser, "Bob", room.url);
  const people = await hedy.openPanel("People");
  await people.getByRole("button", { name: "More actions for Bob" }).press("Enter");
  await hedy.page.getByRole("menuitem", { name: "Remove", exact: true }).press("Enter");
  const question = hedy.page.getByRole("alertdialog", { name: "Remove Bob?" });
  await question.waitFor(quickly);
  await bob.control("Leave").click();
  await people.getByText("Bob", { exact: true }).waitFor({ state: "detached", ...soon });
  await hedy.page.keyboard.press("Escape");
  await question.waitFor({ state: "detached", ...quickly });
  const inPanel = () => people.evaluate((panel) => panel.contains(document.activeElement));
  await expect.poll(inPanel, quickly).toBe(true);
  await part(hedy, bob);
});

test("the buttons that try again keep the focus of the keyboard", async () => {
  const room = await service.makeRoom();
  const ada = await Person.at(browser, "Ada", room.url, { prepare: refuseCamera });
  await button(ada.page, "Try again").waitFor(quickly);
  await ada.page.evaluate(() => window.dispatchEvent(new Event("camera-allowed")));
  await button(ada.page, "Try again").press("Enter");
  await button(ada.page, "Try again").waitFor({ state: "detached", ...quickly });
  await expect.poll(() => ada.page.locator("form:focus").count(), quickly).toBe(1);

  await ada.page.route("**/meet/v1/**", (route) => route.abort());
  await ada.page.reload();
  await button(ada.page, "Try again").press("Enter");
  await expect.poll(() => hasFocus(button(ada.page, "Try again")), quickly).toBe(true);
  await part(ada);
});

/** Refuses the camera until the event "camera-allowed". */
function refuseCamera(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    const { mediaDevices } = navigator;
    const ask = mediaDevices.getUserMedia.bind(mediaDevices);
    let isRefused = true;
    mediaDevices.getUserMedia = (wanted) =>
      wanted?.video && isRefused
        ? Promise.reject(new DOMException("Permission denied", "NotAllowedError"))
        : ask(wanted);
    window.addEventListener("camera-allowed", () => {
      isRefused = false;
    });
  });
}
