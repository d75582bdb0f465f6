import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isIn, openBreakouts } from "./breakout-rooms";
import { hasFocus } from "./looks";
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

/** What the list of keyboard shortcuts offers a person. */
async function shortcutsOf({ page }: Person): Promise<readonly string[]> {
  await page.keyboard.press("?");
  const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await list.waitFor(quickly);
  const shortcuts = await list.getByRole("term").allTextContents();
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "detached", ...quickly });
  return shortcuts;
}

const needsStage = ["Microphone on or off", "Camera on or off", "Hold to talk while muted"];

test("a webinar's audience watches, is invited to the stage, and is moved back", async () => {
  const room = await service.makeWebinar();
  const host = await Person.in(browser, "Hedy", await service.invite(room, "Hedy", "host"));
  const guest = await Person.at(browser, "Bob", room.url);
  await guest.page.getByText("You join as part of the audience").waitFor(quickly);
  expect(await guest.page.getByRole("button", { name: "Microphone" }).count()).toBe(0);
  await guest.join();
  await Promise.all([guest.sees("Hedy"), guest.hears()]);
  for (const name of ["Mute", "Unmute", "Start camera", "Stop camera", "Share screen"]) {
    expect(await guest.control(name).count(), name).toBe(0);
  }
  const offered = await shortcutsOf(guest);
  expect(offered).toContain("Raise or lower hand");
  for (const shortcut of needsStage) expect(offered).not.toContain(shortcut);
  await guest.control("Raise hand").click();
  const people = await host.openPanel("People");
  await people.getByRole("list", { name: "Raised hands" }).getByText("Bob").waitFor(quickly);
  const inside = people.getByRole("list", { name: "In the meeting" });
  await inside.getByRole("list", { name: "Audience" }).getByText("Bob").waitFor(quickly);
  await inside.getByRole("list", { name: "On stage" }).getByText("Hedy (you)").waitFor(quickly);
  expect(await host.violations()).toEqual([]);
  await guest.control("React").click();
  await guest.page.getByRole("menuitem", { name: "👏" }).click();
  await host.page.getByRole("img", { name: "Bob reacted with 👏" }).waitFor(quickly);

  for (const round of [1, 2]) {
    await host.chooseAbout("Bob", "Invite to the stage");
    const banner = guest.told("You are on stage");
    await banner.waitFor(quickly);
    // Offered, and not switched on.
    await guest.control("Unmute").waitFor(quickly);
    await guest.control("Start camera").waitFor(quickly);
    await host.tile("Bob").getByRole("img", { name: "Muted" }).waitFor(quickly);
    expect(await host.tile("Bob").locator("video").count(), `round ${round}`).toBe(0);
    expect(await shortcutsOf(guest)).toEqual(expect.arrayContaining(needsStage));
    await banner.getByRole("button", { name: "Unmute" }).click();
    await banner.getByRole("button", { name: "Start camera" }).click();
    await Promise.all([host.sees("Bob"), host.hears()]);
    await expect.poll(() => banner.count(), quickly).toBe(0);

    await host.chooseAbout("Bob", "Move to audience");
    await guest.told("You are back in the audience").waitFor(quickly);
    await expect.poll(() => host.tile("Bob").count(), quickly).toBe(0);
    await expect.poll(() => guest.control("Unmute").count(), quickly).toBe(0);
    const muted = async () => {
      const bob = (await service.participants(room)).find(({ name }) => name === "Bob");
      return [bob?.audio_muted, bob?.video_muted];
    };
    await expect.poll(muted, soon).toEqual([true, true]);
  }
  expect([...host.complaints, ...guest.complaints]).toEqual([]);
  await Promise.all([host.close(), guest.close()]);
});

test("a person on stage who unmutes with the keyboard can start the camera next", async () => {
  const room = await service.makeWebinar();
  const host = await Person.in(browser, "Hedy", await service.invite(room, "Hedy", "host"));
  const guest = await Person.in(browser, "Bob", room.url);
  const { keyboard } = guest.page;
  await host.chooseAbout("Bob", "Invite to the stage");
  const banner = guest.told("You are on stage");
  await banner.getByRole("button", { name: "Unmute" }).press("Enter");
  await guest.control("Mute").waitFor(quickly);
  await expect.poll(() => hasFocus(banner), quickly).toBe(true);
  // Enter does not reach the button that is next by itself.
  await keyboard.press("Enter");
  await guest.control("Start camera").waitFor(quickly);
  await keyboard.press("Tab");
  await keyboard.press("Enter");
  await guest.control("Stop camera").waitFor(quickly);
  await expect.poll(() => banner.count(), quickly).toBe(0);
  await expect.poll(() => hasFocus(guest.page.getByRole("main")), quickly).toBe(true);
  await Promise.all([host.close(), guest.close()]);
});

test("a co-host of a webinar speaks without being invited", async () => {
  const room = await service.makeWebinar();
  const host = await Person.in(browser, "Hedy", await service.invite(room, "Hedy", "host"));
  const guest = await Person.in(browser, "Bob", room.url);
  await host.chooseAbout("Bob", "Make co-host");
  await guest.control("Start camera").click();
  await host.sees("Bob");
  expect(await host.choicesAbout("Bob")).not.toContain("Move to audience");
  await Promise.all([host.close(), guest.close()]);
});

test("the audience may speak in a breakout, and is audience again afterwards", async () => {
  const room = await service.makeWebinar();
  const host = await Person.in(browser, "Hedy", await service.invite(room, "Hedy", "host"));
  const bob = await Person.in(browser, "Bob", room.url);
  const cleo = await Person.in(browser, "Cleo", room.url);
  await expect.poll(async () => (await service.participants(room)).length, soon).toBe(3);
  await openBreakouts(service, room, { Bob: 0, Cleo: 0 });
  await Promise.all([isIn(bob, "Room 1"), isIn(cleo, "Room 1")]);

  // Offered, and not switched on.
  await bob.control("Unmute").click();
  await bob.control("Start camera").click();
  await cleo.sees("Bob");
  await cleo.hears();
  await cleo.control("Unmute").click();
  await bob.hears();
  expect(await host.tile("Bob").count()).toBe(0);

  await service.call("POST", `/rooms/${room.id}/breakouts/end`);
  await Promise.all([bob.sees("Hedy"), cleo.sees("Hedy")]);
  for (const person of [bob, cleo]) {
    for (const name of ["Mute", "Unmute", "Start camera", "Stop camera", "Share screen"]) {
      await expect.poll(() => person.control(name).count(), { ...soon, message: name }).toBe(0);
    }
  }
  const silent = async () =>
    (await service.participants(room))
      .filter(({ audio_muted, video_muted }) => audio_muted && video_muted)
      .map(({ name }) => name)
      .toSorted();
  await expect.poll(silent, soon).toEqual(["Bob", "Cleo"]);
  await expect.poll(() => host.tile("Bob").count(), soon).toBe(0);
  expect(await cleo.tile("Bob").count()).toBe(0);
  expect([...host.complaints, ...bob.complaints, ...cleo.complaints]).toEqual([]);
  await Promise.all([host.close(), bob.close(), cleo.close()]);
});
