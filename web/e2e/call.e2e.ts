import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, Person, quickly, soon } from "./people";
import { playCamera, playScreen } from "./played-camera";
import { ServiceUnderTest } from "./service";

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser({ beeps: true }), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function pair(settings: object = {}) {
  const room = await service.makeRoom(settings);
  const ada = await Person.in(browser, "Ada", room.url, { hasFullDevices: true });
  const bob = await Person.in(browser, "Bob", room.url, { hasFullDevices: true });
  return {
    room,
    ada,
    bob,
    part: async () => {
      expect([...ada.complaints, ...bob.complaints]).toEqual([]);
      await Promise.all([ada.close(), bob.close()]);
    },
  };
}

test("two people see and hear each other, encrypted", async () => {
  const { ada, bob, part } = await pair();
  await Promise.all([ada.sees("Bob"), bob.sees("Ada"), ada.hears(), bob.hears()]);
  const info = await ada.openPanel("Info");
  await info.getByText("End-to-end encrypted", { exact: true }).waitFor(quickly);
  await part();
});

test("the first person in a room is offered the link", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  await ada.page.getByRole("heading", { name: "You're the first one here" }).waitFor();
  await ada.page.getByText(room.url).waitFor();
  // In a frame the browser may refuse to copy.
  await ada.page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException("", "NotAllowedError"));
  });
  await ada.page.getByRole("button", { name: "Copy link" }).click();
  const field = ada.page.getByRole("textbox", { name: "This page is not allowed to copy." });
  await field.waitFor(quickly);
  expect(await field.inputValue()).toBe(room.url);
  expect(await ada.page.evaluate(() => getSelection()?.toString())).toBe(room.url);
  expect(await ada.violations()).toEqual([]);
  await ada.close();
});

test("switching off microphone or camera shows on the other's screen and in the API", async () => {
  const { room, ada, bob, part } = await pair();
  await bob.sees("Ada");
  await ada.control("Mute").click();
  await ada.control("Stop camera").click();
  await bob.tile("Ada").getByRole("img", { name: "Muted" }).waitFor(quickly);
  await expect.poll(() => bob.tile("Ada").locator("video").count(), quickly).toBe(0);
  const stateOfAda = async () => {
    const found = (await service.participants(room)).find(({ name }) => name === "Ada");
    return [found?.audio_muted, found?.video_muted];
  };
  await expect.poll(stateOfAda, quickly).toEqual([true, true]);
  await ada.control("Unmute").click();
  await ada.control("Start camera").click();
  await Promise.all([bob.sees("Ada"), bob.hears()]);
  await expect.poll(stateOfAda, quickly).toEqual([false, false]);
  await part();
});

test("chat and reactions reach the other person, and a room without chat says so", async () => {
  const { room, ada, bob, part } = await pair();
  await bob.sees("Ada");
  const chat = await ada.openPanel("Chat");
  await chat.getByRole("textbox", { name: "Message" }).fill("Good morning");
  await chat.getByRole("button", { name: "Send" }).click();
  await chat.getByRole("log").getByText("Good morning").waitFor(quickly);
  // Bob reads a language without a catalogue, and its clock.
  await bob.page.evaluate(() => {
    Object.defineProperty(navigator, "languages", { value: ["de-DE"] });
  });
  const received = (await bob.openPanel("Chat")).getByRole("log");
  await received.getByText("Good morning").waitFor(quickly);
  await received.getByText("Ada", { exact: true }).waitFor(quickly);
  expect(await received.getByRole("time").textContent()).toMatch(/^\d\d:\d\d$/);

  // A message that is half written waits while the person looks at something else.
  const message = chat.getByRole("textbox", { name: "Message" });
  await message.fill("I am jus");
  await ada.openPanel("People");
  await ada.openPanel("Chat");
  await message.press("t");
  expect(await message.inputValue()).toBe("I am just");

  // What was wrong with a text is no longer said of the text that the person makes of it.
  await message.fill("a".repeat(2001));
  await chat.getByRole("button", { name: "Send" }).click();
  await chat.getByRole("alert").getByText("2000").waitFor(quickly);
  await message.press("Backspace");
  await expect.poll(() => chat.getByRole("alert").count(), quickly).toBe(0);

  // A new message does not take a person away from older ones, except their own.
  const lines = Array.from({ length: 60 }, (_, index) => `Line ${index + 1}`);
  const send = async (panel: Locator, text: string) => {
    await panel.getByRole("textbox", { name: "Message" }).fill(text);
    await panel.getByRole("button", { name: "Send" }).click();
  };
  const above = () => received.evaluate((log) => log.scrollTop);
  const below = () =>
    received.evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight);
  await send(chat, lines.join("\n"));
  await received.getByText("Line 60").waitFor(quickly);
  expect(await below()).toBeLessThan(2);
  await received.press("Home");
  await expect.poll(above, quickly).toBe(0);
  await send(chat, "Good evening");
  const news = bob.page.getByRole("button", { name: "New messages" });
  await news.waitFor(quickly);
  expect(await above()).toBe(0);
  expect(await bob.violations()).toEqual([]);
  await news.press("Enter");
  await expect.poll(below, quickly).toBeLessThan(2);
  expect(await news.count()).toBe(0);
  await received.press("Home");
  await expect.poll(above, quickly).toBe(0);
  await send(await bob.openPanel("Chat"), "Good night");
  await received.getByText("Good night").waitFor(quickly);
  expect(await below()).toBeLessThan(2);

  await bob.control("React").click();
  await bob.page.getByRole("menuitem", { name: "🎉" }).click();
  await ada.tile("Bob").getByText("🎉").waitFor(quickly);

  await service.call("PATCH", `/rooms/${room.id}`, { settings: { chat: false, reactions: false } });
  await chat.getByText("Chat is off in this room.").waitFor(quickly);
  await expect.poll(() => ada.control("React").count(), quickly).toBe(0);
  expect(await chat.getByRole("textbox").count()).toBe(0);
  await part();
});

test("a raised hand is seen by everyone, in order, and by the API", async () => {
  const { room, ada, bob, part } = await pair();
  await bob.control("Raise hand").click();
  await bob.control("Lower hand").waitFor(quickly);
  await ada.tile("Bob").getByRole("img", { name: "Hand raised" }).waitFor(soon);
  const people = await ada.openPanel("People");
  await people.getByRole("list", { name: "Raised hands" }).getByText("Bob").waitFor(quickly);
  const raised = (await service.participants(room)).filter((person) => person.hand_raised);
  expect(raised.map(({ name }) => name)).toEqual(["Bob"]);
  await bob.control("Lower hand").click();
  await expect
    .poll(() => people.getByRole("list", { name: "Raised hands" }).count(), quickly)
    .toBe(0);
  await part();
});

test("a shared screen is large for the others, and the person who shares can stop it there", async () => {
  const { ada, bob, part } = await pair();
  await ada.sees("Bob");
  await bob.page.evaluate(playScreen);
  await bob.control("Share screen").click();
  await ada.sees("Bob's screen");
  const heard = ada.page.locator("[aria-live=polite]");
  await heard.filter({ hasText: "Bob is sharing a screen" }).waitFor(quickly);
  const screen = await ada.tile("Bob's screen").boundingBox();
  const face = await ada.tile("Bob").boundingBox();
  expect(screen?.width ?? 0).toBeGreaterThan(2 * (face?.width ?? 0));
  const own = bob.tile("Bob's screen");
  await own.getByText("You are sharing your screen").waitFor(quickly);
  expect(await own.locator("video").count()).toBe(0);
  await own.getByRole("button", { name: "Stop", exact: true }).click();
  await expect.poll(() => ada.tile("Bob's screen").count(), quickly).toBe(0);
  await bob.control("Share screen").waitFor(quickly);
  await part();
});

test("the menu changes the layout, and opens the small window and full screen, by keyboard", async () => {
  const { bob, part } = await pair();
  const { page } = bob;
  const choose = (name: string) => chooseInMenu(bob, name);
  const widthOf = async (name: string) =>
    Math.round((await bob.tile(name).boundingBox())?.width ?? 0);
  await bob.sees("Ada");
  await page.evaluate(playScreen);
  await bob.control("Share screen").click();
  const widths = () => Promise.all(["Ada", "Bob (you)", "Bob's screen"].map(widthOf));
  const sizes = async () => new Set(await widths()).size;
  await expect.poll(sizes, quickly).toBe(1);
  await choose("Speaker");
  const isAdaLarge = async () => (await widthOf("Ada")) > 2 * (await widthOf("Bob (you)"));
  await expect.poll(isAdaLarge, quickly).toBe(true);

  const isSmall = () =>
    bob.tile("Ada").evaluate((tile) => tile.contains(document.pictureInPictureElement));
  const names = ["Grid", "Speaker", "Full screen", "Picture in picture"];
  expect(await choose("Picture in picture")).toEqual(names);
  await expect.poll(isSmall, quickly).toBe(true);
  await choose("Picture in picture");
  await expect.poll(isSmall, quickly).toBe(false);

  const isFull = () => page.evaluate(() => document.fullscreenElement !== null);
  await choose("Full screen");
  await expect.poll(isFull, quickly).toBe(true);
  await choose("Exit full screen");
  await expect.poll(isFull, quickly).toBe(false);
  await choose("Grid");
  await expect.poll(sizes, quickly).toBe(1);
  await part();
});

/** Opens the menu, goes down to an entry and chooses it, by keyboard. Returns the names on the way. */
async function chooseInMenu(person: Person, name: string): Promise<readonly string[]> {
  const { page } = person;
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
  await person.control("More").press("Enter");
  const menu = page.getByRole("menu", { name: "More" });
  await menu.locator(":focus").waitFor(quickly);
  const names = [await focused()];
  while (names.at(-1) !== name && names.length < 10) {
    await page.keyboard.press("ArrowDown");
    names.push(await focused());
  }
  await page.keyboard.press("Enter");
  await menu.waitFor({ state: "detached", ...quickly });
  await expect.poll(focused, quickly).toBe("More");
  return names;
}

test("in full screen only, the controls hide from a person who leaves the mouse alone", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  const { page } = ada;
  const opacities = () =>
    Promise.all(
      [page.getByRole("banner"), page.getByRole("contentinfo")].map((part) =>
        part.evaluate((element) => getComputedStyle(element).opacity),
      ),
    );
  await page.clock.install();
  await page.mouse.move(600, 300);
  await page.clock.runFor(4100);
  expect(await opacities()).toEqual(["1", "1"]);
  await ada.control("More").click();
  await page.getByRole("menuitem", { name: "Full screen" }).click();
  await expect
    .poll(() => page.evaluate(() => document.fullscreenElement !== null), quickly)
    .toBe(true);
  await page.mouse.move(600, 310);
  await page.clock.runFor(4100);
  await expect.poll(opacities, quickly).toEqual(["0", "0"]);
  await page.mouse.move(600, 320);
  await expect.poll(opacities, quickly).toEqual(["1", "1"]);
  expect(ada.complaints).toEqual([]);
  await ada.close();
});

test("the tile says that a picture has stopped", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  const bob = await Person.in(browser, "Bob", room.url, {
    prepare: (page) => page.addInitScript(playCamera, 200),
  });
  await ada.sees("Bob");
  // On a busy machine the picture may have stopped for a moment before.
  await expect.poll(() => ada.tile("Bob").getByText("Video has stopped").count(), soon).toBe(0);
  await bob.page.evaluate(() => window.dispatchEvent(new Event("freeze-camera")));
  await ada.tile("Bob").getByText("Video has stopped").waitFor(soon);
  await Promise.all([ada.close(), bob.close()]);
});

test("leaving, and coming back with one click", async () => {
  const { room, ada, bob, part } = await pair();
  await bob.control("Leave").click();
  const left = bob.page.getByRole("heading", { name: "You left the meeting" });
  await left.waitFor(quickly);
  expect(await left.evaluate((heading) => heading === document.activeElement)).toBe(true);
  await expect.poll(() => ada.tile("Bob").count(), quickly).toBe(0);
  await expect.poll(async () => (await service.participants(room)).length, soon).toBe(1);
  await bob.page.getByRole("button", { name: "Rejoin" }).click();
  await bob.isInside();
  await Promise.all([ada.sees("Bob"), bob.sees("Ada")]);
  await part();
});

test("a person whom the browser asks whether to leave, and who stays, is seen and heard as before", async () => {
  const { room, ada, bob, part } = await pair();
  await Promise.all([bob.sees("Ada"), ada.sees("Bob")]);
  const asked = ada.page.waitForEvent("dialog");
  await ada.page.evaluate(() => setTimeout(() => location.reload()));
  const question = await asked;
  expect(question.type()).toBe("beforeunload");
  await question.dismiss();
  await Promise.all([bob.sees("Ada"), bob.hears()]);
  const happened = await service.happened(room);
  expect(happened.filter((what) => what.startsWith("participant."))).toEqual([
    "participant.joined",
    "participant.joined",
  ]);
  await part();
});

test("a reload comes back to the same seat, with the hand still raised and the microphone off", async () => {
  const { room, ada, bob, part } = await pair();
  await bob.control("Mute").click();
  await bob.control("Raise hand").click();
  await bob.control("Lower hand").waitFor(quickly);
  const before = (await service.participants(room)).find(({ name }) => name === "Bob")?.identity;
  await bob.page.reload();
  await bob.join();
  await bob.control("Lower hand").waitFor(soon);
  await bob.control("Unmute").waitFor(quickly);
  await ada.sees("Bob");
  const after = (await service.participants(room)).find(({ name }) => name === "Bob")?.identity;
  expect(after).toBe(before);
  await part();
});

test("a person changes their name, everybody reads the new one, and a reload keeps it", async () => {
  const { room, ada, bob, part } = await pair();
  await ada.control("Raise hand").click();
  const list = (await bob.openPanel("People")).getByRole("list", { name: "In the meeting" });
  const people = await ada.openPanel("People");
  const dialog = ada.page.getByRole("dialog", { name: "Rename" });
  const field = dialog.getByRole("textbox", { name: "Your name" });
  const press = (key: string) => ada.page.keyboard.press(key);

  // With the keyboard alone, on a slow device, where the menu is still there when the dialog opens.
  const processor = await ada.page.context().newCDPSession(ada.page);
  await processor.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await people.getByRole("button", { name: "More actions for Ada" }).focus();
  await press("Enter");
  await ada.page.getByRole("menuitem", { name: "Rename" }).waitFor(quickly);
  await press("Enter");
  await expect.poll(() => field.inputValue(), quickly).toBe("Ada");
  await processor.detach();
  expect(await ada.violations()).toEqual([]);
  await press("Control+a");
  await press("Delete");
  await press("Enter");
  await dialog.getByText("Enter your name").waitFor(quickly);
  await ada.page.keyboard.type("Countess");
  await press("Enter");
  await dialog.waitFor({ state: "detached" });
  const menu = people.getByRole("button", { name: "More actions for Countess" });
  await expect
    .poll(() => menu.evaluate((button) => button === document.activeElement), quickly)
    .toBe(true);

  await ada.tile("Countess (you)").waitFor(quickly);
  await bob.tile("Countess").waitFor(quickly);
  await bob.sees("Countess");
  await expect
    .poll(() => list.getByRole("listitem").allTextContents(), quickly)
    .toEqual(["CCountess", "BBob (you)"]);
  const known = async () =>
    (await service.participants(room)).map(({ name, hand_raised }) => `${name} ${hand_raised}`);
  expect(await known()).toEqual(["Countess true", "Bob false"]);

  // The dialog shows a refusal, and keeps the name that was typed.
  const refusal = { error: { code: "rate_limited", message: "" } };
  await ada.page.route("**/meet/v1/name", (route) => route.fulfill({ status: 429, json: refusal }));
  await ada.chooseAbout("Countess", "Rename");
  await field.fill("Duchess");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("alert").getByText("You did that too often").waitFor(quickly);
  expect(await field.inputValue()).toBe("Duchess");
  expect(await ada.violations()).toEqual([]);
  await press("Escape");
  await ada.page.unroute("**/meet/v1/name");

  await ada.page.reload();
  const name = ada.page.getByRole("textbox", { name: "Your name" });
  await expect.poll(() => name.inputValue(), soon).toBe("Countess");
  await ada.page.getByRole("button", { name: "Join now" }).click();
  await ada.tile("Countess (you)").waitFor(soon);
  await ada.control("Lower hand").waitFor(soon);
  await bob.sees("Countess");

  // The device remembers it, too.
  await ada.control("Leave").click();
  await ada.page.getByRole("button", { name: "Rejoin" }).click();
  await ada.tile("Countess (you)").waitFor(soon);
  await bob.sees("Countess");
  await part();
});

test("a name that came with an invitation cannot be changed", async () => {
  const room = await service.makeRoom();
  const hedy = await Person.in(browser, "Hedy", await service.invite(room, "Hedy", "host"));
  expect(await hedy.choicesAbout("Hedy")).toEqual(["Spotlight for everyone"]);
  await hedy.close();
});
