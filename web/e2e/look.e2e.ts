import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isFilledDangerously, isWhollyShown, motions, textStart } from "./looks";
import { openBrowser, Person, part, quickly } from "./people";
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

for (const colorScheme of ["light", "dark"] as const) {
  test(`every screen works with assistive technology, in ${colorScheme}`, async () => {
    const room = await service.makeRoom();
    const ada = await Person.at(browser, "Ada", room.url, {
      colorScheme,
      prepare: (page) => page.emulateMedia({ reducedMotion: "reduce" }),
    });
    const isFit = async () => {
      expect(await ada.violations()).toEqual([]);
      expect(await motions(ada.page)).toEqual([]);
    };
    await ada.page.getByRole("button", { name: "Join now" }).waitFor(quickly);
    await isFit();
    await ada.join();
    for (const panel of ["Info", "People", "Chat"] as const) {
      await ada.openPanel(panel);
      await isFit();
    }
    await ada.control("More").click();
    await ada.page.getByRole("menuitem", { name: "Settings" }).click();
    const settings = ada.page.getByRole("dialog", { name: "Settings" });
    await settings.waitFor(quickly);
    const testSpeaker = settings.getByRole("button", { name: "Test speaker" });
    const title = settings.getByRole("heading", { name: "Settings" });
    expect(await textStart(testSpeaker)).toBeCloseTo(await textStart(title), 0);
    await isFit();
    await ada.page.keyboard.press("Escape");
    await ada.control("Leave").click();
    await ada.page.getByRole("button", { name: "Rejoin" }).waitFor(quickly);
    await isFit();
    await ada.page.goto(`${service.url}/`);
    await ada.page.getByRole("heading", { name: "Join with a code" }).waitFor(quickly);
    await isFit();
    // For people who have not asked for less motion, things move.
    await ada.page.emulateMedia({ reducedMotion: "no-preference" });
    expect(await motions(ada.page)).toEqual(
      expect.arrayContaining(["--quick", "--slow", expect.stringMatching(/^button /)]),
    );
    expect(ada.complaints).toEqual([]);
    await ada.close();
  });
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`the documentation belongs to the product, in ${colorScheme}`, async () => {
    const look = (page: Page) =>
      page.evaluate(() => {
        const { fontFamily, backgroundColor, color } = getComputedStyle(document.body);
        const isLoaded = document.fonts.check('16px "Inter Variable"');
        return { fontFamily, backgroundColor, color, isLoaded };
      });
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      const viewport = { width, height };
      const ada = await Person.at(browser, "Ada", `${service.url}/`, { colorScheme, viewport });
      await ada.page.getByRole("heading", { name: "Join with a code" }).waitFor(quickly);
      await expect.poll(async () => (await look(ada.page)).isLoaded, quickly).toBe(true);
      const home = await look(ada.page);
      for (const [path, heading] of [
        ["/docs/errors", "Error codes"],
        ["/docs", "Conclave API"],
      ] as const) {
        await ada.page.goto(`${service.url}${path}`);
        await ada.page.getByRole("heading", { name: heading }).first().waitFor();
        await expect.poll(() => look(ada.page), quickly).toEqual(home);
        expect(await ada.violations("minor"), `${path} at ${width} pixels`).toEqual([]);
        const overflow = () => document.documentElement.scrollWidth - window.innerWidth;
        expect(await ada.page.evaluate(overflow)).toBe(0);
        expect(ada.complaints).toEqual([]);
      }
      if (width === 1280) await readsEveryDocument(ada);
      await ada.page.getByRole("link", { name: "Conclave", exact: true }).click();
      await ada.page.getByRole("heading", { name: "Join with a code" }).waitFor(quickly);
      await ada.close();
    }
  });
}

/** Reads the documents of the reference to their ends, since parts are drawn as they come into sight. */
async function readsEveryDocument(ada: Person): Promise<void> {
  const { page } = ada;
  const isAtEnd = () =>
    page.evaluate(async () => {
      for (let screen = 0; screen < 5; screen += 1) {
        window.scrollBy(0, window.innerHeight);
        await new Promise(requestAnimationFrame);
      }
      const { scrollHeight } = document.documentElement;
      return window.scrollY + window.innerHeight > scrollHeight - 2;
    });
  let shown = "API";
  for (const [name, heading] of [
    ["API", "Conclave API"],
    ["Meeting protocol", "Conclave meeting protocol"],
    ["Accounts", "Conclave accounts"],
  ] as const) {
    if (name !== shown) {
      await page.getByRole("button", { name: shown, exact: true }).click();
      await page.getByRole("option", { name, exact: true }).click();
      shown = name;
    }
    await page.getByRole("heading", { name: heading }).first().waitFor(quickly);
    await expect.poll(isAtEnd, quickly).toBe(true);
    expect(await ada.violations("minor"), name).toEqual([]);
  }
}

test("the controls are in the right order", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  const names = (page: Page, toolbar: string) =>
    page
      .getByRole("toolbar", { name: toolbar })
      .getByRole("button")
      .evaluateAll((buttons) => buttons.map((button) => button.getAttribute("aria-label")));
  expect(await names(ada.page, "Meeting controls")).toEqual([
    "Mute",
    "Stop camera",
    "Share screen",
    "React",
    "Raise hand",
    "More",
    "Leave",
  ]);
  expect(await names(ada.page, "Panels")).toEqual(["Info", "People", "Chat", "Polls"]);
  const hedy = await Person.in(browser, "Hedy", await service.invite(room, "Hedy", "host"));
  expect(await names(hedy.page, "Meeting controls")).toEqual([
    "Mute",
    "Stop camera",
    "Share screen",
    "React",
    "Raise hand",
    "Record",
    "More",
    "Leave",
  ]);
  expect(await names(hedy.page, "Panels")).toEqual([
    "Info",
    "People",
    "Chat",
    "Polls",
    "Breakout rooms",
    "Host controls",
  ]);
  await hedy.close();

  // The panels' buttons stand in one line with the others, and say what they are.
  await ada.page.setViewportSize({ width: 1600, height: 750 });
  const panels = ada.page.getByRole("toolbar", { name: "Panels" }).getByRole("button");
  const mute = await ada.control("Mute").boundingBox();
  for (const name of ["Info", "People", "Chat", "Polls"]) {
    const button = panels.and(ada.page.getByRole("button", { name, exact: true }));
    expect(await isWhollyShown(button.getByText(name, { exact: true })), name).toBe(true);
    const { y, height } = (await button.boundingBox()) ?? {};
    expect({ y, height }, name).toEqual({ y: mute?.y, height: mute?.height });
  }
  const lock = ada.page.getByRole("banner").getByRole("button", { name: "End-to-end encrypted" });
  for (const [button, text] of [
    [panels.nth(2), "Chat (Ctrl+Alt+C)"],
    [ada.page.getByRole("timer"), /^The meeting began at \d/],
    [lock, "End-to-end encrypted"],
  ] as const) {
    await button.hover();
    await ada.page.getByRole("tooltip").getByText(text).waitFor(quickly);
  }
  await lock.click();
  await ada.page.getByRole("complementary", { name: "Info" }).waitFor(quickly);
  await ada.close();
});

test("the language of the browser changes neither words nor direction", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url, { locale: "ar-EG" });
  await ada.control("More").click();
  const menu = ada.page.getByRole("menu", { name: "More" });
  await menu.waitFor(quickly);
  expect(await menu.evaluate((element) => getComputedStyle(element).direction)).toBe("ltr");
  // With these, screen readers close the menu.
  const buttons = ada.page.locator(".menu-popover").getByRole("button");
  const names = await buttons.evaluateAll((all) =>
    all.map((one) => one.getAttribute("aria-label")),
  );
  expect(new Set(names)).toEqual(new Set(["Dismiss"]));
  await part(ada);
});

test("a tooltip is short, and what it covers can be pressed", async () => {
  const room = await service.makeRoom();
  const hedy = await Person.in(browser, "Hedy", await service.invite(room, "Hedy", "host"));
  const bob = await Person.in(browser, "Bob", room.url);
  const people = await hedy.openPanel("People");
  await people.getByRole("button", { name: "More actions for Bob", exact: true }).hover();
  const tip = hedy.page.getByRole("tooltip");
  await tip.waitFor(quickly);
  expect(await tip.textContent()).toBe("More actions");
  const isInTheWay = await tip.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
  expect(isInTheWay).toBe(false);
  await part(hedy, bob);
});

test("the button that leaves keeps its colour while its menu is open", async () => {
  const room = await service.makeRoom();
  const hedy = await Person.in(browser, "Hedy", await service.invite(room, "Hedy", "host"), {
    prepare: (page) => page.emulateMedia({ reducedMotion: "reduce" }),
  });
  // With the keyboard: under the pointer it has a colour of its own.
  await hedy.control("Leave").press("Enter");
  await hedy.page.getByRole("menuitem", { name: "Leave" }).waitFor(quickly);
  const face = hedy.page.locator(".call-button-leave .call-button-face");
  expect(await isFilledDangerously(face)).toBe(true);
  await part(hedy);
});

test("works on a screen of 360 pixels without scrolling sideways", async () => {
  const room = await service.makeRoom();
  const viewport = { width: 360, height: 740 };
  const ada = await Person.at(browser, "Ada", room.url, { viewport });
  const overflow = () =>
    ada.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await ada.page.getByRole("button", { name: "Join now" }).waitFor(quickly);
  expect(await overflow()).toBe(0);
  await ada.join();
  for (const name of ["Mute", "Stop camera", "Raise hand", "More", "Leave"]) {
    const box = await ada.control(name).boundingBox();
    expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= 360, name).toBe(true);
  }
  expect(await overflow()).toBe(0);
  await ada.openPanel("Chat");
  expect(await overflow()).toBe(0);
  expect(await ada.violations()).toEqual([]);
  await ada.close();
});

test("a panel covers a small screen, and only a part of a larger one", async () => {
  const room = await service.makeRoom();
  await service.call("PATCH", `/rooms/${room.id}`, { name: "תכנון" });
  const ada = await Person.in(browser, "עדה", room.url, { viewport: { width: 639, height: 740 } });
  const panel = await ada.openPanel("Chat");
  const boxOf = async (part: Locator) => (await part.boundingBox()) ?? { x: -1, width: -1 };
  await expect.poll(async () => (await boxOf(panel)).width, quickly).toBe(639);
  await ada.page.setViewportSize({ width: 640, height: 740 });
  await expect.poll(async () => (await boxOf(panel)).width, quickly).toBe(360);
  expect((await boxOf(ada.page.getByRole("main"))).width).toBeGreaterThan(600);
  for (const width of [640, 1000, 1280, 1920]) {
    await ada.page.setViewportSize({ width, height: 740 });
    const middle = async () => {
      const { x, width: own } = await boxOf(ada.toolbar);
      return Math.abs(x + own / 2 - width / 2);
    };
    await expect.poll(middle, { ...quickly, message: `the middle of ${width}` }).toBeLessThan(1);
  }
  // A name in another direction begins where other names do, in pixels after the part that holds it.
  const startsAt = (name: Locator, part: Locator, start: number) =>
    expect
      .poll(async () => Math.round((await textStart(name)) - (await boxOf(part)).x), quickly)
      .toBe(start);
  await ada.page.setViewportSize({ width: 640, height: 740 });
  const name = ada.page.getByRole("heading", { name: "תכנון", exact: true });
  expect(await textStart(name)).toBeLessThan(16);
  const own = ada.tile("עדה (you)");
  const tileName = own.getByText("עדה (you)", { exact: true });
  await startsAt(tileName, own, 16);
  const info = await ada.openPanel("Info");
  const roomName = info.getByText("תכנון", { exact: true });
  await startsAt(roomName, info, 16);
  const people = await ada.openPanel("People");
  const row = people.getByRole("list", { name: "In the meeting" }).getByRole("listitem");
  const rowName = row.getByText("עדה (you)", { exact: true });
  await startsAt(rowName, row, 44);
  await ada.page
    .getByRole("timer", { name: "The meeting has been running for 0:" })
    .waitFor(quickly);
  await ada.close();
});

test("everything has a shortcut, and the focus goes where people expect it", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  const { keyboard } = ada.page;
  await keyboard.press("Control+d");
  await ada.control("Unmute").waitFor(quickly);
  await keyboard.press("Control+e");
  await ada.control("Start camera").waitFor(quickly);
  await keyboard.press("Control+Alt+h");
  await ada.control("Lower hand").waitFor(quickly);
  await keyboard.press("Control+Alt+c");
  const message = ada.page.getByRole("textbox", { name: "Message" });
  await message.waitFor(quickly);
  expect(await message.evaluate((field) => field === document.activeElement)).toBe(true);
  // In an input method, Escape drops a word and not the panel.
  const dropped = { key: "Escape", bubbles: true, isComposing: true };
  await message.evaluate((field, init) => {
    field.dispatchEvent(new KeyboardEvent("keydown", init));
  }, dropped);
  expect(await message.count()).toBe(1);
  await keyboard.press("Escape");
  await expect.poll(() => message.count(), quickly).toBe(0);
  await keyboard.press("F2");
  const first = ada.control("Unmute");
  expect(await first.evaluate((button) => button === document.activeElement)).toBe(true);
  await keyboard.press("ArrowRight");
  const second = ada.control("Start camera");
  const isSecond = () => second.evaluate((button) => button === document.activeElement);
  expect(await isSecond()).toBe(true);
  await keyboard.press("?");
  await ada.page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor(quickly);
  await keyboard.press("Escape");
  // The sheet returns the focus a moment after it has closed.
  await expect.poll(isSecond, quickly).toBe(true);
  await ada.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await keyboard.down("Space");
  await ada.control("Mute").waitFor(quickly);
  await keyboard.up("Space");
  await ada.control("Unmute").waitFor(quickly);
  // A key that is let go in another window sends no event.
  await keyboard.down("Space");
  await ada.control("Mute").waitFor(quickly);
  await ada.page.evaluate(() => window.dispatchEvent(new Event("blur")));
  await ada.control("Unmute").waitFor(quickly);
  await keyboard.up("Space");
  // A microphone that is on anyway stays on.
  await keyboard.press("Control+d");
  await ada.control("Mute").waitFor(quickly);
  await keyboard.press("Space");
  await keyboard.press("Control+e");
  await ada.control("Stop camera").waitFor(quickly);
  expect(await ada.control("Mute").count()).toBe(1);
  // A button that is pressed has the focus, not the one that was used before it.
  await ada.control("Mute").click();
  await (await ada.openPanel("Chat")).getByRole("textbox", { name: "Message" }).click();
  await ada.control("Lower hand").click();
  await ada.control("Raise hand").waitFor(quickly);
  await keyboard.press("Space");
  await ada.control("Lower hand").waitFor(quickly);
  expect(await ada.control("Unmute").count()).toBe(1);
  await ada.close();
});

test("going back in the browser asks before it ends a call", async () => {
  const room = await service.makeRoom();
  const ada = await Person.at(browser, "Ada", `${service.url}/no/such/page`);
  await ada.page
    .getByRole("heading", { name: "There is no page at this address" })
    .waitFor(quickly);
  expect(await ada.violations()).toEqual([]);
  await ada.page.getByRole("button", { name: "Go to the start page" }).click();
  await ada.page.getByRole("heading", { name: "Join with a code" }).waitFor(quickly);
  await ada.page.goto(room.url);
  await ada.join();
  const question = ada.page.getByRole("alertdialog", { name: "Leave the meeting?" });
  await ada.page.goBack();
  await question.waitFor(quickly);
  expect(await ada.violations()).toEqual([]);
  await question.getByRole("button", { name: "Stay" }).click();
  await question.waitFor({ state: "detached", ...quickly });
  await ada.isInside();
  await ada.page.goBack();
  await question.getByRole("button", { name: "Leave" }).click();
  await ada.page.getByRole("heading", { name: "You left the meeting" }).waitFor(quickly);
  await ada.page.goBack();
  await ada.page.getByRole("heading", { name: "Join with a code" }).waitFor(quickly);
  await ada.close();
});

test("typing a code leads to the room", async () => {
  const room = await service.makeRoom();
  const ada = await Person.at(browser, "Ada", `${service.url}/`);
  const field = ada.page.getByRole("textbox", { name: "Room code or link" });
  await field.fill("nonsense!");
  await ada.page.getByRole("button", { name: "Join" }).click();
  await ada.page.getByText("Enter a code like abc-defg-hjk").waitFor(quickly);
  await field.fill(room.code.replaceAll("-", ""));
  await ada.page.getByRole("button", { name: "Join" }).click();
  await ada.page.getByRole("heading", { name: "Planning" }).waitFor(quickly);
  await ada.close();
});
