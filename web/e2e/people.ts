import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { setTimeout as pause } from "node:timers/promises";
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";
import { expect, onTestFailed, type TestContext } from "vitest";
import { goTo } from "./go-to";
import { leaveSoundRaw, limitCamera } from "./light-devices";
import type { Line } from "./line";
import { type Counters, growth, type Kind, keepConnections } from "./page-counters";
import { seldomSound } from "./seldom-sound";

/** How long a test waits for something on a busy machine. A limit, not an expectation. */
export const soon = { timeout: 45_000 };

/** The same where a page changes by itself, without waiting for other devices. */
export const quickly = { timeout: 10_000 };

const executable = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** How many pictures a second the fake camera takes; the browser's default without it. */
const pace = process.env["CAMERA_FPS"];

/** Settings of the browser's JavaScript engine. */
const engine = process.env["JS_FLAGS"];

/** How many rows people's cameras are asked for; what the page asks for without it. */
const rows = Number(process.env["CAMERA_ROWS"] ?? 0);

/** Whether the browser leaves sound as it comes, instead of cancelling echoes and noise in it. */
const isSoundRaw = process.env["RAW_SOUND"] === "1";

/** Whether the fake microphone beeps seldom, where a test does not need it all the time. */
const beepsSeldom = process.env["SELDOM_SOUND"] === "1";

export interface BrowserOptions {
  /** More flags for Chromium. */
  readonly flags?: readonly string[];
  /** What starts the browser; by default the browser itself. */
  readonly program?: string;
  /** Whether the fake microphone beeps all the time. */
  readonly beeps?: boolean;
}

/** A browser with a fake camera and microphone, which it allows without asking. */
export async function openBrowser(options: BrowserOptions = {}): Promise<Browser> {
  const { flags = [], program = executable, beeps = !beepsSeldom } = options;
  const sound = beeps ? [] : [`--use-file-for-fake-audio-capture=${await seldomSound()}`];
  return chromium.launch({
    executablePath: program,
    args: [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      `--use-fake-device-for-media-stream${pace ? `=fps=${pace}` : ""}`,
      "--use-fake-ui-for-media-stream",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...(engine ? [`--js-flags=${engine}`] : []),
      ...sound,
      ...flags,
    ],
  });
}

const people = new WeakMap<BrowserContext, Person>();

/**
 * Closes everybody's browsers after a test: those of a failed test would slow down the next one.
 * Says first what they show, for which `onTestFailed` comes too late.
 */
export async function closePeople(browser: Browser, { task }: TestContext): Promise<void> {
  const hasFailed = task.result?.state === "fail";
  for (const context of browser.contexts()) {
    const person = people.get(context);
    if (hasFailed && person) process.stdout.write(await person.screen());
    await context.close();
  }
}

type PanelName = "Info" | "People" | "Chat" | "Polls" | "Breakout rooms" | "Host controls";

export interface PersonOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: "light" | "dark";
  /** The time zone of their device, such as Asia/Kathmandu. */
  readonly timezone?: string;
  /** The language of their browser, such as ar-EG. */
  readonly locale?: string;
  /** The line through which their browser reaches the service; directly without one. */
  readonly line?: Pick<Line, "proxy" | "lead">;
  /** Whether camera and microphone work as the page asks. Otherwise they cost the processor less. */
  readonly hasFullDevices?: boolean;
  /** Prepares the page before it is opened. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

/** A person at a browser. Finds everything as people do: by role and name. */
export class Person {
  readonly name: string;
  readonly page: Page;
  readonly #context: BrowserContext;
  /** The page's script errors and violations of its security policy. */
  readonly complaints: string[] = [];

  private constructor(name: string, context: BrowserContext, page: Page) {
    this.name = name;
    this.#context = context;
    this.page = page;
    page.on("pageerror", (error) => {
      if (!isLateWorkerNews(error.message)) this.complaints.push(error.message);
    });
    page.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) this.complaints.push(message.text());
    });
  }

  /** Opens a room's link and stops at the pre-join page, or wherever the room leads. */
  static async at(browser: Browser, name: string, url: string, options: PersonOptions = {}) {
    const context = await browser.newContext({
      viewport: options.viewport ?? { width: 1200, height: 750 },
      colorScheme: options.colorScheme ?? "light",
      ...(options.timezone ? { timezoneId: options.timezone } : {}),
      ...(options.locale ? { locale: options.locale } : {}),
      ...(options.line ? { proxy: options.line.proxy } : {}),
    });
    // What a test waits for without a limit of its own, such as a page or a button.
    context.setDefaultTimeout(soon.timeout);
    await options.line?.lead(context);
    const page = await context.newPage();
    const person = new Person(name, context, page);
    people.set(context, person);
    onTestFailed(async () => {
      if (!page.isClosed()) process.stdout.write(await person.screen());
    });
    await page.addInitScript(keepConnections);
    if (rows > 0 && !options.hasFullDevices) await page.addInitScript(limitCamera, rows);
    if (isSoundRaw && !options.hasFullDevices) await page.addInitScript(leaveSoundRaw);
    await options.prepare?.(page);
    await goTo(page, url);
    return person;
  }

  static async in(browser: Browser, name: string, url: string, options: PersonOptions = {}) {
    const person = await Person.at(browser, name, url, options);
    await person.join();
    return person;
  }

  async join(): Promise<void> {
    // Key by key: what Playwright fills in at once does not reach the page in Firefox.
    const name = this.page.getByRole("textbox", { name: "Your name" });
    await name.selectText();
    await name.pressSequentially(this.name);
    await this.page.getByRole("button", { name: "Join now" }).click();
    await this.isInside();
  }

  /** Controls are there before the person is in; their own name comes with the list of people. */
  async isInside(): Promise<void> {
    await this.toolbar.waitFor(soon);
    await this.tile(`${this.name} (you)`).waitFor(soon);
  }

  get toolbar(): Locator {
    return this.page.getByRole("toolbar", { name: "Meeting controls" });
  }

  control(name: string): Locator {
    return this.toolbar.getByRole("button", { name, exact: true });
  }

  async openPanel(name: PanelName): Promise<Locator> {
    const panel = this.page.getByRole("complementary", { name });
    if (!(await panel.isVisible())) {
      const panels = this.page.getByRole("toolbar", { name: "Panels" });
      await panels.getByRole("button", { name, exact: true }).click();
    }
    await panel.waitFor();
    return panel;
  }

  /** Chooses an item of a person's menu in the list of people. */
  async chooseAbout(name: string, choice: string): Promise<void> {
    const people = await this.openPanel("People");
    await people.getByRole("button", { name: `More actions for ${name}` }).click();
    await this.page.getByRole("menuitem", { name: choice, exact: true }).click();
  }

  /** The items of a person's menu in the list of people. */
  async choicesAbout(name: string): Promise<readonly string[]> {
    const people = await this.openPanel("People");
    await people.getByRole("button", { name: `More actions for ${name}` }).click();
    const items = this.page.getByRole("menuitem");
    await items.first().waitFor();
    const choices = await items.allTextContents();
    await this.page.keyboard.press("Escape");
    await items.first().waitFor({ state: "detached" });
    return choices;
  }

  /** A banner or another status message. */
  told(text: string | RegExp): Locator {
    return this.page.getByRole("status").filter({ hasText: text });
  }

  tile(name: string): Locator {
    return this.page.getByRole("group", { name, exact: true });
  }

  /** Waits until new pictures of a person have arrived, been decrypted and been shown. */
  async sees(name: string): Promise<void> {
    const video = this.tile(name).locator("video");
    const look = () => video.evaluate(pictureIn, null, { timeout: 1000 }).catch(() => nothing);
    let before = await look();
    const grown = async () => {
      const now = await look();
      // A new element, or a new stream in the same element, counts from zero.
      const isSame = now.element === before.element && now.frames >= before.frames;
      if (!isSame) before = { element: now.element, frames: 0 };
      return now.frames - before.frames;
    };
    await expect.poll(grown, { ...soon, message: `${this.name} sees ${name}` }).toBeGreaterThan(3);
  }

  /**
   * Returns a function that waits until pictures of a person arrive on another track and are shown.
   */
  async seesAnew(name: string): Promise<() => Promise<void>> {
    const video = this.tile(name).locator("video");
    const track = () => video.evaluate(trackIn, null, { timeout: 1000 }).catch(() => "");
    const before = await track();
    return async () => {
      const message = `${this.name} is sent ${name} anew`;
      await expect.poll(track, { ...soon, message }).not.toBe(before);
      await this.sees(name);
    };
  }

  /** Waits until new sound has arrived, been decrypted and is more than silence. */
  async hears(): Promise<void> {
    const before = await this.#counters("sound");
    const grown = async () => growth(before, await this.#counters("sound"));
    await expect.poll(grown, { ...soon, message: `${this.name} hears` }).toBeGreaterThan(0.001);
  }

  /** How much of each sound track has arrived, whether it is played or not. */
  soundTracks(): Promise<Counters> {
    return this.#counters("soundTracks");
  }

  framesDecoded(): Promise<number> {
    return this.page.evaluate(() => window.measure("frames"));
  }

  /** How often each picture stood still, as the browser counts it. */
  freezes(): Promise<Counters> {
    return this.#counters("freezes");
  }

  /** Returns a function that waits until another device's data packet has arrived. */
  async receives(): Promise<() => Promise<void>> {
    const before = await this.#counters("packets");
    const grown = async () => growth(before, await this.#counters("packets"));
    return () =>
      expect.poll(grown, { ...soon, message: `${this.name} receives` }).toBeGreaterThan(0);
  }

  #counters(kind: Kind): Promise<Counters> {
    return this.page.evaluate((what) => window.counters(what), kind);
  }

  /** What axe finds: what is serious or critical, or everything. */
  async violations(least: "serious" | "minor" = "serious"): Promise<readonly string[]> {
    const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
    await this.page.evaluate(await readFile(axe, "utf8"));
    return this.page.evaluate(async (isStrict) => {
      // A panel that is still fading in has too little contrast.
      const moving = document.getAnimations().filter((animation) => {
        const end = animation.effect?.getComputedTiming().endTime;
        return typeof end === "number" && Number.isFinite(end);
      });
      await Promise.allSettled(moving.map((animation) => animation.finished));
      const { violations } = await window.axe.run();
      return violations
        .filter(({ impact }) => isStrict || impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    }, least === "minor");
  }

  /** What the person's screen says, and the state of their connections: for a test that failed. */
  async screen(): Promise<string> {
    const text = await Promise.race([
      this.page.evaluate(describeScreen).catch((error) => String(error)),
      pause(5000).then(() => "the page does not answer"),
    ]);
    return `The screen of ${this.name}: ${text}\n${this.complaints.map((one) => `  ${one}\n`).join("")}`;
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}

/** Runs in the page. */
async function describeScreen(): Promise<string> {
  const texts = (selector: string) =>
    [...document.querySelectorAll<HTMLElement>(selector)]
      .map((element) => element.getAttribute("aria-label") ?? element.innerText)
      .map((text) => text.replaceAll("\n", " "));
  return [
    location.pathname,
    `messages: ${texts("[role=status], [role=alert]").join(" | ")}`,
    `headings: ${texts("h1, h2").join(" | ")}`,
    `tiles: ${texts("[role=group]").join(" | ")}`,
    `connections: ${window.connectionStates().join(" | ")}`,
    `received: ${JSON.stringify(await window.counters("frames"))}`,
  ].join("\n  ");
}

/**
 * LiveKit's client throws this when its encryption worker reports on a person who reloaded a moment
 * ago (livekit-client 2.23.0, E2eeManager). It does no harm: the person is back under the same
 * identity, and the worker reports again.
 */
function isLateWorkerNews(message: string): boolean {
  return message.startsWith("couldn't set encryption status, participant not found");
}

interface Picture {
  /** A mark by which an element is recognised. */
  readonly element: string;
  readonly frames: number;
}

const nothing: Picture = { element: "", frames: 0 };

function pictureIn(video: Element): Picture {
  if (!(video instanceof HTMLVideoElement) || video.videoWidth === 0) {
    return { element: "", frames: 0 };
  }
  video.dataset["element"] ??= crypto.randomUUID();
  // Firefox counts what it paints; of a call, its standard count stays at zero.
  const frames = video.mozPaintedFrames ?? video.getVideoPlaybackQuality().totalVideoFrames;
  return { element: video.dataset["element"], frames };
}

function trackIn(video: Element): string {
  const stream = video instanceof HTMLVideoElement ? video.srcObject : null;
  return stream instanceof MediaStream ? (stream.getVideoTracks()[0]?.id ?? "") : "";
}

/** The people leave. A page that complained fails the test. */
export async function part(...people: Person[]): Promise<void> {
  expect(people.flatMap((person) => person.complaints)).toEqual([]);
  await Promise.all(people.map((person) => person.close()));
}

/** Milliseconds from now until the page has decoded a frame of another person. */
export async function untilDecoded(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const began = performance.now();
    while ((await window.measure("frames")) === 0) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return performance.now() - began;
  });
}

interface AxeViolation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

declare global {
  interface HTMLVideoElement {
    readonly mozPaintedFrames?: number;
  }
  interface Window {
    axe: { run: () => Promise<{ violations: readonly AxeViolation[] }> };
  }
}
