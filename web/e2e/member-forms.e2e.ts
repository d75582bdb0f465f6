import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { memberAtHome } from "./at-home";
import { areSideBySide, isInLongPart, isWhollyShown, looksLikeProblem } from "./looks";
import { openBrowser, part, quickly } from "./people";
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

const viewport = { width: 1280, height: 720 };

const field = (at: Page | Locator, name: string) => at.getByLabel(name, { exact: true });
const button = (at: Page | Locator, name: string) => at.getByRole("button", { name, exact: true });
const dialog = (page: Page, name: string) => page.getByRole("dialog", { name, exact: true });

const atHome = (name: string, role = "member") =>
  memberAtHome(browser, service, name, { viewport }, role);

test("a member who signed out in another tab is told to sign in", async () => {
  const ann = await atHome("Ann");
  const { page } = ann;
  await button(page, "New room").click();
  const form = dialog(page, "New room");
  await field(form, "Room name").fill("Board");
  const other = await page.context().newPage();
  await other.goto(`${service.url}/`);
  await button(other, "Sign out").click();
  await other.getByRole("link", { name: "Sign in" }).waitFor(quickly);
  await button(form, "Create room").click();
  const refusal = form.getByRole("alert");
  await refusal.getByText("You are signed out. Reload the page and sign in").waitFor(quickly);
  expect(await looksLikeProblem(refusal)).toBe(true);
  expect(await ann.violations()).toEqual([]);
  await page.reload();
  await page.getByRole("link", { name: "Sign in" }).waitFor(quickly);
  await part(ann);
});

test("a list leads a member who signed out in another tab to the sign-in", async () => {
  await Promise.all(Array.from({ length: 26 }, () => service.makeRoom()));
  const bob = await atHome("Bob");
  const more = button(bob.page, "Show more: Your rooms");
  await more.waitFor(quickly);
  const other = await bob.page.context().newPage();
  await other.goto(`${service.url}/`);
  await button(other, "Sign out").click();
  await other.getByRole("link", { name: "Sign in" }).waitFor(quickly);
  await more.click();
  await bob.page.getByRole("link", { name: "Sign in" }).waitFor(quickly);
  await part(bob);
});

test("the buttons of a long form stay in sight and cover no field in use", async () => {
  await service.call("POST", "/meetings", {
    title: "Standup",
    starts_at: new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString(),
    ends_at: new Date(Date.now() + 25 * 60 * 60 * 1000).toISOString(),
    recurrence: "weekly",
  });
  const cyd = await atHome("Cyd", "admin");
  const { page } = cyd;
  await button(page, "Edit Standup").click();
  const edit = dialog(page, "Edit meeting");
  const [file, cancel, save] = [
    button(edit, "Add to calendar"),
    button(edit, "Cancel meeting"),
    button(edit, "Save"),
  ] as const;
  await save.waitFor(quickly);
  expect(await isInLongPart(save)).toBe(true);
  expect(await isWhollyShown(save)).toBe(true);
  expect(await areSideBySide(file, cancel)).toBe(true);
  expect(await areSideBySide(cancel, save)).toBe(true);
  for (const name of ["Title", "Description", "Date", "Time zone", "Repeats", "Room"]) {
    await field(edit, name).focus();
    expect(await isOnTop(field(edit, name)), name).toBe(true);
  }
  await part(cyd);
});

/** Whether nothing covers its middle. */
function isOnTop(control: Locator): Promise<boolean> {
  return control.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
}
