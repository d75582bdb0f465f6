import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { middle } from "./looks";
import { openBrowser, Person, quickly, soon } from "./people";
import { ServiceUnderTest } from "./service";
import { countNotes } from "./waiting-page";

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

test("the page before a meeting says who is inside", async () => {
  const room = await service.makeRoom();
  const ada = await Person.at(browser, "Ada", room.url, {
    prepare: (page) => page.addInitScript(countNotes),
  });
  const lookAgain = () =>
    ada.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  const reads = async (text: string | RegExp) => {
    await lookAgain();
    await ada.page.getByText(text).waitFor({ timeout: 1000 });
    return true;
  };
  await ada.page.getByText("Nobody else is here").waitFor(soon);
  await choosesPicture(ada);
  await testsSpeaker(ada);
  await ada.page.getByRole("textbox", { name: "Your name" }).fill("Ada L");
  const bob = await Person.in(browser, "Bob", room.url);
  await expect.poll(() => reads(/^.?Bob.? is here$/).catch(() => false), soon).toBe(true);
  // What she typed stays.
  expect(await ada.page.getByRole("textbox", { name: "Your name" }).inputValue()).toBe("Ada L");
  await service.call("PATCH", `/rooms/${room.id}`, { settings: { admission: "knock" } });
  await expect.poll(() => reads("1 person is here").catch(() => false), soon).toBe(true);
  await Promise.all([ada.close(), bob.close()]);
});

/** Chooses what others see without a camera, and keeps the camera on. */
async function choosesPicture({ page }: Person): Promise<void> {
  const camera = page.getByRole("button", { name: "Camera", exact: true, pressed: true });
  await camera.waitFor(quickly);
  const picture = page.getByRole("button", { name: "Choose a picture" });
  // A person without a name yet is a silhouette.
  await picture.locator("svg .avatar-silhouette").waitFor(quickly);
  await picture.click();
  await page.getByRole("radio", { name: "Picture 3" }).press(" ");
  await page.keyboard.press("Escape");
  await picture.locator("svg .avatar-silhouette").waitFor({ state: "detached", ...quickly });
  await camera.waitFor(quickly);
  await page.getByLabel("Your camera").waitFor(quickly);
  for (const name of ["Microphone device", "Camera device", "Speaker device"]) {
    const box = page.getByRole("combobox", { name, exact: true }).locator("..");
    expect(await box.locator("svg").count(), name).toBe(1);
  }
}

async function testsSpeaker({ page }: Person): Promise<void> {
  await page.getByRole("button", { name: "Test speaker" }).press("Enter");
  await expect.poll(() => page.evaluate(() => window.notes), quickly).toBe(2);
}

test("people can join when the browser refuses camera and microphone", async () => {
  const strict = await openBrowser({ flags: ["--deny-permission-prompts"] });
  try {
    const room = await service.makeRoom();
    const ada = await Person.at(strict, "Ada", room.url, { prepare: refuseDevices });
    const alerts = ada.page.getByRole("alert");
    await alerts.getByText("Camera and microphone blocked. Allow them").waitFor(quickly);
    expect(await alerts.count()).toBe(1);
    await ada.page.getByRole("button", { name: "Try again" }).waitFor(quickly);
    expect(await ada.page.getByRole("meter").count()).toBe(0);
    await ada.join();
    await ada.control("Unmute").waitFor(quickly);
    await ada.control("Start camera").waitFor(quickly);
    await ada.close();
  } finally {
    await strict.close();
  }
});

test("a person in the meeting without devices is not told to join without them", async () => {
  const room = await service.makeRoom();
  const ada = await Person.at(browser, "Ada", room.url, { prepare: takeDevices });
  const alert = ada.page.getByRole("alert");
  await alert.getByText("Connect them, or join without").waitFor(quickly);
  await ada.join();
  await ada.control("Unmute").click();
  await alert.getByText("No microphone found. Connect one, then unmute").waitFor(quickly);
  await ada.control("Start camera").click();
  await alert.getByText("No camera found. Connect one, then start it").waitFor(quickly);
  await ada.close();
});

test("camera and microphone that were refused work once they are allowed and tried again", async () => {
  const room = await service.makeRoom();
  const ada = await Person.at(browser, "Ada", room.url, { prepare: refuseDevices });
  const alerts = ada.page.getByRole("alert");
  const again = ada.page.getByRole("button", { name: "Try again" });
  await alerts.getByText("Camera and microphone blocked. Allow them").waitFor(quickly);
  await ada.page.evaluate(() => window.dispatchEvent(new Event("microphone-allowed")));
  await again.click();
  const camera = alerts.getByText("Camera blocked. Allow it in the browser's settings", {
    exact: true,
  });
  await camera.waitFor(quickly);
  expect(await alerts.count()).toBe(1);
  await ada.page.evaluate(() => window.dispatchEvent(new Event("camera-allowed")));
  await again.click();
  await ada.page.getByRole("meter", { name: "Microphone level" }).waitFor(quickly);
  await ada.page.getByLabel("Your camera").waitFor(quickly);
  expect(await alerts.count()).toBe(0);
  expect(await again.count()).toBe(0);
  await ada.close();
});

test("a person chooses a picture with the keyboard", async () => {
  const room = await service.makeRoom();
  const ada = await Person.at(browser, "Ada", room.url, { prepare: refuseDevices });
  const { page } = ada;
  const button = page.getByRole("button", { name: "Choose a picture" });
  const choice = (name: string) =>
    page
      .getByRole("radiogroup", { name: "Choose a picture" })
      .getByRole("radio", { name, exact: true });
  await button.focus();
  await page.keyboard.press("Enter");
  await choice("Initials").waitFor(quickly);
  expect(await choice("Initials").isChecked()).toBe(true);
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => choice("Picture 1").isChecked(), quickly).toBe(true);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => choice("Picture 16").isChecked(), quickly).toBe(true);
  expect(await ada.violations()).toEqual([]);
  await page.keyboard.press("Escape");
  await choice("Picture 16").waitFor({ state: "detached", ...quickly });
  await expect
    .poll(() => button.evaluate((one) => one === document.activeElement), quickly)
    .toBe(true);
  const picture = await button.locator("svg").innerHTML();
  await ada.join();
  expect(await ada.tile("Ada (you)").locator("svg.avatar").innerHTML()).toBe(picture);
  await ada.close();
});

test("a name may have sixty characters, however the browser counts them", async () => {
  const room = await service.makeRoom();
  const ada = await Person.at(browser, "Ada", room.url, { prepare: refuseDevices });
  const { page } = ada;
  const name = page.getByRole("textbox", { name: "Your name" });
  const paste = async (text: string) => {
    await name.fill("");
    await page.keyboard.insertText(text);
  };
  await paste("🙂".repeat(31));
  expect(await name.inputValue()).toBe("🙂".repeat(31));
  await paste("🙂".repeat(61));
  expect(await name.inputValue()).toBe("🙂".repeat(60));
  // In a full field nothing is typed, and the caret stays.
  await name.evaluate((field: HTMLInputElement) => field.setSelectionRange(4, 4));
  await page.keyboard.insertText("x");
  const caret = () => name.evaluate((field: HTMLInputElement) => field.selectionEnd);
  expect([await name.inputValue(), await caret()]).toEqual(["🙂".repeat(60), 4]);

  // An input method composes as it likes, and what it leaves is cut.
  await name.fill("x".repeat(59));
  const browserItself = await page.context().newCDPSession(page);
  await browserItself.send("Input.imeSetComposition", {
    text: "にほん",
    selectionStart: 3,
    selectionEnd: 3,
  });
  expect(await name.inputValue()).toBe(`${"x".repeat(59)}にほん`);
  await browserItself.send("Input.insertText", { text: "日本" });
  await expect.poll(() => name.inputValue(), quickly).toBe(`${"x".repeat(59)}日`);
  await page.keyboard.insertText("y");
  expect(await name.inputValue()).toBe(`${"x".repeat(59)}日`);
  await page.keyboard.press("Backspace");
  expect(await name.inputValue()).toBe("x".repeat(59));
  await ada.close();
});

test("what is only an icon says its name to the pointer, and once to a screen reader", async () => {
  const room = await service.makeRoom();
  const ada = await Person.at(browser, "Ada", room.url);
  const { page } = ada;
  const browserItself = await page.context().newCDPSession(page);
  const { root } = await browserItself.send("DOM.getDocument");
  for (const name of ["Microphone", "Camera"]) {
    const button = page.getByRole("button", { name, exact: true });
    await button.waitFor(soon);
    expect(await button.getAttribute("title")).toBe(name);
    const found = await browserItself.send("Accessibility.queryAXTree", {
      nodeId: root.nodeId,
      role: "button",
      accessibleName: name,
    });
    expect(found.nodes.map(({ description }) => description?.value ?? "")).toEqual([""]);
  }
  // The page still moves while the camera starts, and away from the pointer.
  await page.getByLabel("Your camera").waitFor(soon);
  const picture = page.getByRole("button", { name: "Choose a picture" });
  await picture.waitFor(soon);
  await page.mouse.move(1, 1); // a pointer comes from somewhere
  await picture.hover();
  await page.getByRole("tooltip").filter({ hasText: "Choose a picture" }).waitFor(quickly);
  expect(await ada.violations()).toEqual([]);
  await ada.close();
});

test("the picture stays beside the name when the name is missing", async () => {
  const room = await service.makeRoom();
  const ada = await Person.at(browser, "Ada", room.url);
  const picture = ada.page.getByRole("button", { name: "Choose a picture" });
  const name = ada.page.getByRole("textbox", { name: "Your name" });
  await picture.waitFor(soon);
  expect(await middle(picture)).toBeCloseTo(await middle(name), 0);
  await ada.page.getByRole("button", { name: "Join now" }).click();
  await ada.page.getByText("Enter your name so that others know who you are.").waitFor(quickly);
  expect(await middle(picture)).toBeCloseTo(await middle(name), 0);
  await ada.close();
});

test("the buttons of a small preview hide neither its text nor the avatar", async () => {
  const room = await service.makeRoom();
  // A screen of 1280 x 800 pixels that shows everything twice as large.
  const zoomed = { width: 640, height: 400 };
  const ada = await Person.at(browser, "Ada", room.url, { viewport: zoomed });
  const camera = ada.page.getByRole("button", { name: "Camera", exact: true });
  await camera.click();
  const preview = ada.page.locator(".preview-off");
  const [button, text, avatar] = await Promise.all(
    [camera, preview.getByText("Camera is off"), preview.locator(".preview-avatar")].map((part) =>
      part.boundingBox(),
    ),
  );
  const picture = await preview.boundingBox();
  expect((text?.y ?? 0) + (text?.height ?? 0)).toBeLessThan(button?.y ?? 0);
  expect((avatar?.y ?? 0) + (avatar?.height ?? 0)).toBeLessThan(button?.y ?? 0);
  expect(avatar?.y).toBeGreaterThan(picture?.y ?? 0);
  await ada.close();
});

/**
 * Fake devices cannot be refused by hand, so getUserMedia is replaced by one that refuses each, until
 * a test says that it is allowed.
 */
function refuseDevices(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    const { mediaDevices } = navigator;
    const ask = mediaDevices.getUserMedia.bind(mediaDevices);
    const refused = new Set(["audio", "video"]);
    mediaDevices.getUserMedia = (wanted) =>
      Object.keys(wanted ?? {}).some((kind) => refused.has(kind))
        ? Promise.reject(new DOMException("Permission denied", "NotAllowedError"))
        : ask(wanted);
    window.addEventListener("microphone-allowed", () => refused.delete("audio"));
    window.addEventListener("camera-allowed", () => refused.delete("video"));
  });
}

function takeDevices(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    navigator.mediaDevices.getUserMedia = () =>
      Promise.reject(new DOMException("Requested device not found", "NotFoundError"));
  });
}
