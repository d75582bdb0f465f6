import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBreakouts } from "./breakout-rooms";
import { areSideBySide, contrastOfPlaceholder, hasFocus, textStart } from "./looks";
import { openBrowser, Person, quickly, soon } from "./people";
import { ServiceUnderTest } from "./service";

const phone = { width: 360, height: 740 };
/** A screen of 1280 x 800 pixels that shows everything twice as large. */
const zoomed = { width: 640, height: 400 };

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

async function boxOf(part: Locator): Promise<Box> {
  const { x, y, width, height } = (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  expect(width * height).toBeGreaterThan(0);
  return { left: x, top: y, right: x + width, bottom: y + height };
}

async function overlap(one: Locator, other: Locator): Promise<boolean> {
  const [a, b] = [await boxOf(one), await boxOf(other)];
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

function overflow({ page }: Person): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

/**
 * Whether the button that closes a banner is to the right of its text, on the same line. Looks
 * once, as soon as there is a banner, because some pass.
 */
function isClosedBeside(banner: Locator): Promise<boolean> {
  return banner.evaluate(
    (element) => {
      const [text, button] = [".banner-text", ".icon-button"].map((part) =>
        element.querySelector(part)?.getBoundingClientRect(),
      );
      if (!text || !button) return false;
      const middle = (text.top + text.bottom) / 2;
      return middle > button.top && middle < button.bottom && text.right <= button.left;
    },
    undefined,
    quickly,
  );
}

/** Whether there are controls, all of them within the window. */
function areInWindow(controls: Locator): Promise<boolean> {
  return controls.evaluateAll((elements) => {
    const isInWindow = (element: Element) => {
      const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
      const isInside = left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
      return isInside && width * height > 0;
    };
    return elements.length > 0 && elements.every(isInWindow);
  });
}

test("pages outside of a meeting fit a small screen, in readable colours", async () => {
  const ada = await Person.at(browser, "Ada", `${service.url}/docs/errors`, { viewport: phone });
  await ada.page.getByRole("heading", { name: "Error codes" }).waitFor(quickly);
  expect(await overflow(ada)).toBe(0);

  await ada.page.setViewportSize(zoomed);
  await ada.page.goto(`${service.url}/account`);
  const title = ada.page.getByRole("heading", { name: "Sign in" });
  await title.waitFor(quickly);
  const mark = await boxOf(ada.page.getByRole("link", { name: "Conclave" }));
  expect((await boxOf(title)).top - mark.bottom).toBeGreaterThanOrEqual(16);

  await ada.page.goto(`${service.url}/`);
  const field = ada.page.getByRole("textbox", { name: "Room code or link" });
  for (const colorScheme of ["light", "dark"] as const) {
    await ada.page.emulateMedia({ colorScheme });
    expect(await contrastOfPlaceholder(field), colorScheme).toBeGreaterThanOrEqual(4.5);
  }

  const webinar = await service.makeWebinar();
  await ada.page.goto(webinar.url);
  const speaker = await boxOf(ada.page.getByRole("combobox", { name: "Speaker device" }));
  const preview = await boxOf(ada.page.locator(".preview-picture"));
  expect(speaker.right - speaker.left).toBe(preview.right - preview.left);
  await ada.close();
});

test("on a small screen nothing covers names, faces and controls", async () => {
  const room = await service.makeRoom();
  const link = await service.invite(room, "Ada", "host");
  const ada = await Person.at(browser, "Ada", link, { viewport: phone });
  await ada.page.getByRole("button", { name: "Camera", exact: true }).click();
  await ada.join();
  const name = (whose: string) => ada.tile(whose).getByText(whose, { exact: true });
  const card = ada.page.getByRole("region", { name: "You're the first one here" });
  for (const viewport of [phone, zoomed]) {
    await ada.page.setViewportSize(viewport);
    await expect.poll(() => overlap(card, name("Ada (you)")), quickly).toBe(false);
  }

  await openBreakouts(service, room, {});
  const message = "Please write down what you have agreed upon. ".repeat(7).slice(0, 300);
  await service.call("POST", `/rooms/${room.id}/breakouts/announce`, { message });
  await ada.openPanel("Chat");
  const banner = ada.told("Please write down");
  await banner.waitFor(soon);
  expect(await overlap(banner, ada.control("Mute"))).toBe(false);
  // Not every browser's keyboard reaches what scrolls by itself.
  expect(await banner.locator("p").getAttribute("tabindex")).toBe("0");
  await banner.getByRole("button", { name: "Dismiss" }).click();
  await ada.page.keyboard.press("Escape");

  // Below a pinned tile the others are small.
  await ada.page.setViewportSize(phone);
  const grace = await Person.in(browser, "Grace", room.url);
  await ada.chooseAbout("Grace", "Pin");
  await ada.page.keyboard.press("Escape");
  const own = ada.tile("Ada (you)");
  await expect.poll(async () => (await own.boundingBox())?.height, quickly).toBeLessThan(110);
  await expect.poll(() => overlap(own.locator(".avatar"), name("Ada (you)")), quickly).toBe(false);
  await grace.close();
  await ada.close();
});

test("long names and those of other scripts keep to their place on a small screen", async () => {
  const room = await service.makeRoom();
  const long = "Hedy Lamarr-Kiesler von Hohenstein-Waldeck und Pyrmont";
  const hebrew = "שרה כהן 3";
  const hedy = await Person.in(browser, long, await service.invite(room, long, "host"));
  const sara = await Person.in(browser, hebrew, room.url, { viewport: phone });
  const own = sara.tile(`${hebrew} (you)`);
  const name = sara.tile(long).getByText(long, { exact: true });
  const distance = async () => (await boxOf(own)).left - (await boxOf(name)).right;
  for (const viewport of [zoomed, phone]) {
    await sara.page.setViewportSize(viewport);
    await expect.poll(distance, quickly).toBeGreaterThan(0);
  }

  const chat = await sara.openPanel("Chat");
  await hedy.openPanel("Chat");
  await hedy.page.getByRole("textbox", { name: "Message" }).fill("Hello");
  await hedy.page.keyboard.press("Enter");
  await chat.getByText("Hello", { exact: true }).waitFor(soon);
  const time = chat.locator("time");
  expect(await time.evaluate(linesOf)).toBe(1);

  await service.call("POST", `/rooms/${room.id}/breakouts`, { rooms: 2, assign: "none" });
  const list = (await hedy.openPanel("Breakout rooms")).getByRole("list", {
    name: "Without a room",
  });
  const starts = () =>
    Promise.all([long, hebrew].map((who) => textStart(list.getByText(who, { exact: true }))));
  const [one = 0, other = 1] = await starts();
  expect(Math.abs(one - other)).toBeLessThan(1);
  await hedy.close();
  await sara.close();
});

/** Runs in the page: on how many lines the text of an element is. */
function linesOf(element: Element): number {
  const text = document.createRange();
  text.selectNodeContents(element);
  return new Set([...text.getClientRects()].map(({ top }) => top)).size;
}

test("a host records in a window that has no room for the button", async () => {
  const room = await service.makeRoom();
  const link = await service.invite(room, "Ada", "host");
  const ada = await Person.in(browser, "Ada", link, { viewport: zoomed });
  const record = ada.page.getByRole("menuitem", { name: "Record" });
  expect(await ada.control("Record").count()).toBe(0);
  await ada.control("More").click();
  await record.click();
  await ada.control("Stop recording").waitFor(soon);
  await ada.told("Recording").waitFor(soon);
  await ada.control("More").click();
  await ada.page.getByRole("menuitem", { name: "Settings" }).waitFor(quickly);
  expect(await record.count()).toBe(0);
  await ada.page.keyboard.press("Escape");
  await ada.control("Stop recording").click();
  await ada.control("Stop recording").waitFor({ state: "detached", ...soon });
  await ada.close();
});

test.each([
  { width: 600, height: 740 },
  { width: 800, height: 600 },
])("the keyboard does not reach the tiles that a panel covers: %o", async (viewport) => {
  const room = await service.makeRoom();
  const link = await service.invite(room, "Ada", "host");
  const ada = await Person.in(browser, "Ada", link, { viewport });
  const { page } = ada;
  await ada.tile("Ada (you)").getByRole("button", { name: "Pin Ada (you)" }).waitFor(quickly);
  const people = await ada.openPanel("People");
  const close = people.getByRole("button", { name: "Close panel" });
  await close.focus();
  const pins: (string | null)[] = [];
  for (let tabs = 0; tabs < 40; tabs += 1) {
    await page.keyboard.press("Tab");
    if (await hasFocus(close)) break;
    const focused = page.getByRole("main").locator(".tile :focus");
    if ((await focused.count()) > 0) pins.push(await focused.getAttribute("aria-label"));
  }
  expect(await hasFocus(close)).toBe(true);
  expect(pins).toEqual([]);
  // The button is there again once the panel is closed.
  await page.keyboard.press("Enter");
  await ada.tile("Ada (you)").getByRole("button", { name: "Pin Ada (you)" }).waitFor(quickly);
  await ada.close();
});

test.each([640, 700, 800, 900])(
  "a panel does not cover the link for the others, %i pixels wide",
  async (width) => {
    const room = await service.makeRoom();
    const ada = await Person.in(browser, "Ada", room.url, { viewport: { width, height: 740 } });
    const card = ada.page.getByRole("region", { name: "You're the first one here" });
    const panel = await ada.openPanel("People");
    await expect.poll(() => overlap(card, panel), quickly).toBe(false);
    await card.getByRole("button", { name: "Copy link" }).click(quickly);
    expect(await overflow(ada)).toBe(0);
    await ada.close();
  },
);

test("the button that closes a banner is beside its text", async () => {
  const room = await service.makeWebinar();
  const ada = await Person.in(browser, "Ada", room.url, { viewport: phone });
  const identity = async () => (await service.participants(room))[0]?.identity;
  await expect.poll(identity, quickly).toBeDefined();
  const stage = `/rooms/${room.id}/participants/${await identity()}/stage`;
  for (const [method, text] of [
    ["POST", "You are on stage"],
    ["DELETE", "You are back in the audience"],
  ] as const) {
    await service.call(method, stage);
    expect(await isClosedBeside(ada.told(text)), text).toBe(true);
  }
  await ada.close();
});

test("times are not cut when the text of a small screen is large", async () => {
  const password = "correct horse battery";
  await service.addMember("ada@acme.example", "Ada", "member", password);
  const prepare = (page: Page) =>
    page.request.post(`${service.url}/account/v1/sign-in`, {
      data: { email: "ada@acme.example", password },
    });
  const large = await openBrowser({ flags: ["--blink-settings=defaultFontSize=24"] });
  try {
    for (const [opener, areBeside] of [
      [browser, true],
      [large, false],
    ] as const) {
      const ada = await Person.at(opener, "Ada", `${service.url}/`, { viewport: phone, prepare });
      await ada.page.getByRole("button", { name: "Schedule a meeting" }).click();
      const [starts, ends] = [ada.page.getByLabel("Starts"), ada.page.getByLabel("Ends")];
      await ends.waitFor(quickly);
      expect(await areSideBySide(starts, ends)).toBe(areBeside);
      await ada.close();
    }
  } finally {
    await large.close();
  }
});

test("everything grows with the size of text that a person has set in the browser", async () => {
  const large = await openBrowser({ flags: ["--blink-settings=defaultFontSize=24"] });
  try {
    const room = await service.makeRoom();
    const ada = await Person.at(large, "Ada", `${service.url}/`);
    const sizeOf = (part: Locator) => part.evaluate((one) => getComputedStyle(one).fontSize);
    expect(await sizeOf(ada.page.getByRole("heading", { name: "Join with a code" }))).toBe("42px");
    await ada.page.goto(`${service.url}/docs/errors`);
    expect(await sizeOf(ada.page.getByRole("heading", { name: "Error codes" }))).toBe("42px");
    await ada.page.goto(await service.invite(room, "Ada", "host"));
    await ada.page.getByRole("button", { name: "Camera", exact: true }).click();
    await ada.join();
    expect(await sizeOf(ada.tile("Ada (you)").getByText("Ada (you)", { exact: true }))).toBe(
      "21px",
    );
    // Controls that no longer fit move away, as they do on a smaller screen.
    for (const width of [1200, 640, 360]) {
      await ada.page.setViewportSize({ width, height: 750 });
      await ada.openPanel("Host controls");
      for (const name of ["Meeting controls", "Panels"]) {
        const controls = ada.page.getByRole("toolbar", { name }).getByRole("button");
        await expect
          .poll(() => areInWindow(controls), { ...quickly, message: `${name} at ${width} pixels` })
          .toBe(true);
      }
    }
    // The name takes more of a tile, and the avatar stays visible.
    await ada.page.keyboard.press("Escape");
    const grace = await Person.in(large, "Grace", room.url);
    const own = ada.tile("Ada (you)");
    const heightOf = async (part: Locator) => (await part.boundingBox())?.height;
    await ada.page.setViewportSize({ width: 1200, height: 750 });
    await expect.poll(() => heightOf(own.locator(".avatar")), soon).toBeGreaterThan(60);
    await ada.page.setViewportSize({ width: 360, height: 750 });
    await ada.chooseAbout("Grace", "Pin");
    await ada.page.keyboard.press("Escape");
    await expect.poll(() => heightOf(own), quickly).toBeLessThan(64);
    await expect.poll(() => heightOf(own.locator(".avatar")), quickly).toBeGreaterThan(20);
    await grace.close();
    await ada.close();
  } finally {
    await large.close();
  }
});
