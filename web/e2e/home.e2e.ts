import { readFile } from "node:fs/promises";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { memberAtHome } from "./at-home";
import { looksDangerous } from "./looks";
import { openBrowser, Person, type PersonOptions, part, quickly } from "./people";
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

const field = (at: Page | Locator, name: string) => at.getByLabel(name, { exact: true });
const button = (at: Page | Locator, name: string) => at.getByRole("button", { name, exact: true });
const list = (page: Page, name: string) => page.getByRole("list", { name, exact: true });
const dialog = (page: Page, name: string) => page.getByRole("dialog", { name, exact: true });

const atHome = (name: string, options: PersonOptions = {}, role = "member") =>
  memberAtHome(browser, service, name, options, role);

/** Holds back the answer about who is signed in, and returns a function that lets it through. */
async function holdSession(page: Page): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/account/v1/session", async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

const boxesOf = (...parts: Locator[]) => Promise.all(parts.map((part) => part.boundingBox()));

/** The UTC date some days from now. */
function dateIn(days: number): string {
  return new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}

/** The name and text of the file that a click downloads. */
async function download(page: Page, control: Locator): Promise<{ name: string; text: string }> {
  const [file] = await Promise.all([page.waitForEvent("download", quickly), control.click()]);
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
}

test("nothing of the start page waits for the session, and nothing moves when it is known", async () => {
  let release = () => {};
  const ann = await Person.at(browser, "Ann", `${service.url}/`, {
    prepare: async (page) => {
      release = await holdSession(page);
    },
  });
  const { page } = ann;
  const code = field(page, "Room code or link");
  await code.fill("abc-defg");
  const parts = [page.getByText("Conclave"), page.getByRole("heading"), code, button(page, "Join")];
  const before = await boxesOf(...parts);
  expect(before).not.toContain(null);
  release();
  await page.getByRole("link", { name: "Sign in" }).waitFor(quickly);
  expect(await boxesOf(...parts)).toEqual(before);
  expect(await code.inputValue()).toBe("abc-defg");
  expect(await code.evaluate((element) => element === document.activeElement)).toBe(true);
  await part(ann);
});

test("a member who comes again waits at the head of their own page", async () => {
  const mia = await atHome("Mia");
  const { page } = mia;
  const release = await holdSession(page);
  await page.reload();
  const mark = page.getByRole("link", { name: "Conclave" });
  await mark.waitFor(quickly);
  expect(await page.getByRole("heading", { name: "Join with a code" }).count()).toBe(0);
  const before = await boxesOf(mark);
  release();
  await button(page, "New room").waitFor(quickly);
  expect(await boxesOf(mark)).toEqual(before);
  // A person who signs out is a visitor again.
  await button(page, "Sign out").click();
  await page.getByRole("heading", { name: "Join with a code" }).waitFor(quickly);
  await page.getByRole("link", { name: "Sign in" }).waitFor(quickly);
  await page.unroute("**/account/v1/session");
  await holdSession(page);
  await page.reload();
  await page.getByRole("heading", { name: "Join with a code" }).waitFor(quickly);
  await part(mia);
});

test("a member makes a strict room, and a link whose secret reaches no request", async () => {
  const amy = await atHome("Amy");
  const { page } = amy;
  const sent: string[] = [];
  page.on("request", (request) => sent.push(`${request.url()} ${request.postData()}`));
  await button(page, "New room").click();
  const form = dialog(page, "New room");
  await field(form, "Room name").fill("Board");
  await form.getByText("The service makes the key, so its operator could.").waitFor(quickly);
  await field(form, "Encryption").selectOption("Strict: keys only on devices");
  await form.getByText("not even the service can open").waitFor(quickly);
  await button(form, "Create room").click();
  const item = list(page, "Your rooms").getByRole("listitem").filter({ hasText: "Board" });
  await item.getByText("Keys only on devices").waitFor(quickly);
  const links: string[] = [];
  for (let i = 0; i < 2; i += 1) {
    await button(item, "Link with a secret for Board").click();
    const made = dialog(page, "Link with a secret");
    const link = await made.getByText(/#k=/).textContent();
    expect(link).toMatch(/^http:.*\/[a-z]{3}-[a-z]{4}-[a-z]{3}#k=[A-Za-z0-9_-]{22}$/);
    links.push(link ?? "");
    if (i === 0) await page.keyboard.press("Escape");
    else await button(made, "Join with this link").click();
  }
  expect(links[0]).not.toBe(links[1]);
  await page.waitForURL(links[1] ?? "");
  await page.getByRole("heading").waitFor(quickly);
  const secrets = links.map((link) => link.split("#k=")[1] ?? "");
  expect(sent.length).toBeGreaterThan(2);
  for (const secret of secrets) expect(sent.join("\n")).not.toContain(secret);
  await part(amy);
});

test("a member makes a room and joins it as its host", async () => {
  const ada = await atHome("Ada");
  const { page } = ada;
  await page.getByText("Nothing scheduled in the next 30 days").waitFor(quickly);
  await button(page, "New room").click();
  const form = dialog(page, "New room");
  await button(form, "Create room").click();
  await form.getByText("Enter a name for the room.").waitFor(quickly);
  await field(form, "Room name").fill("Ada's office");
  await field(form, "Admission").selectOption("A host lets people in");
  await button(form, "Create room").click();
  await form.waitFor({ state: "detached" });
  const item = list(page, "Your rooms").getByRole("listitem").filter({ hasText: "Ada's office" });
  await item.getByText("Hosts let people in").waitFor(quickly);
  await button(item, "Join Ada's office").click();
  await page.getByRole("heading", { name: "Ada's office" }).waitFor(quickly);
  // The creator of the room is its host, and need not knock.
  await button(page, "Join now").click();
  await ada.isInside();
  await ada.openPanel("Host controls");
  await part(ada);
});

test("a meeting is scheduled in one zone, and seen, changed and cancelled in another", async () => {
  const bea = await atHome("Bea", { timezone: "Asia/Kathmandu" });
  const { page } = bea;
  await button(page, "Schedule a meeting").click();
  const form = dialog(page, "Schedule a meeting");
  await button(form, "Schedule").click();
  await form.getByText("Enter a title.").waitFor(quickly);
  const isFocused = () => field(form, "Title").evaluate((one) => one === document.activeElement);
  await expect.poll(isFocused, quickly).toBe(true);
  expect(await field(form, "Time zone").inputValue()).toMatch(/^Asia\/Ka(th|t)mandu$/);
  await field(form, "Title").fill("Weekly review");
  await field(form, "Description").fill("What we did, what we do next");
  await field(form, "Date").fill(dateIn(3));
  await field(form, "Starts").fill("10:00");
  await field(form, "Ends").fill("11:00");
  await field(form, "Time zone").selectOption("UTC");
  await field(form, "Repeats").selectOption("Weekly");
  await field(form, "Until").fill(dateIn(60));
  await button(form, "Schedule").click();
  await form.waitFor({ state: "detached" });

  const item = list(page, "Upcoming").getByRole("listitem").filter({ hasText: "Weekly review" });
  await item.getByText("3:45 PM – 4:45 PM").waitFor(quickly);
  await item.getByText(/^Every \w+day · until .* · 10:00 AM in UTC$/).waitFor(quickly);
  // Its room was created with it.
  await list(page, "Your rooms").getByText("Weekly review").waitFor(quickly);

  await button(item, "Edit Weekly review").click();
  const edit = dialog(page, "Edit meeting");
  await edit.getByText("applies to every occurrence").waitFor(quickly);
  expect(await field(edit, "Starts").inputValue()).toBe("10:00");
  expect(await field(edit, "Description").inputValue()).toBe("What we did, what we do next");
  const series = await download(page, button(edit, "Add to calendar"));
  expect(series.name).toBe("meeting.ics");
  expect(series.text).toContain("SUMMARY:Weekly review\r\n");
  expect(series.text).toContain("RRULE:FREQ=WEEKLY");
  await field(edit, "Title").fill("Fortnightly review");
  await field(edit, "Repeats").selectOption("Every two weeks");
  await button(edit, "Save").click();
  await edit.waitFor({ state: "detached" });
  const changed = list(page, "Upcoming").getByRole("listitem").filter({ hasText: "Fortnightly" });
  await changed.getByText(/^Every other \w+day/).waitFor(quickly);

  const link = changed.getByRole("link", { name: "Add Fortnightly review to calendar" });
  expect((await download(page, link)).text).toContain("RRULE:FREQ=WEEKLY;INTERVAL=2");
  // It looks like the button beside it.
  const colour = (control: Locator) =>
    control.evaluate((element) => getComputedStyle(element).color);
  expect(await colour(link)).toBe(await colour(button(changed, "Edit Fortnightly review")));

  await button(changed, "Join Fortnightly review").click();
  await page.getByRole("heading", { name: "Weekly review" }).waitFor(quickly);
  await page.getByText(/^Next: Fortnightly review, .* 3:45 PM$/).waitFor(quickly);
  const next = await download(page, button(page, "Add to calendar"));
  expect(next.name).toBe("meeting.ics");
  expect(next.text).toMatch(/^BEGIN:VCALENDAR\r\n/);
  expect(next.text).toContain("SUMMARY:Fortnightly review\r\n");
  expect(next.text).toContain(`DTSTART:${dateIn(3).replaceAll("-", "")}T100000Z\r\n`);
  await page.goBack();
  await button(changed, "Edit Fortnightly review").click();
  expect(await looksDangerous(button(edit, "Cancel meeting"))).toBe(true);
  await button(edit, "Cancel meeting").click();
  const sure = page.getByRole("alertdialog");
  await sure.getByText("Every occurrence disappears").waitFor(quickly);
  await button(sure, "Cancel meeting").click();
  await page.getByText("Nothing scheduled in the next 30 days").waitFor(quickly);
  await part(bea);
});

test("members see each other's meetings, and change only their own", async () => {
  const cleo = await atHome("Cleo");
  const { page } = cleo;
  await service.call("POST", "/meetings", {
    title: "All hands",
    starts_at: `${dateIn(1)}T10:00:00Z`,
    ends_at: `${dateIn(1)}T11:00:00Z`,
  });
  await page.reload();
  const item = list(page, "Upcoming").getByRole("listitem").filter({ hasText: "All hands" });
  await item.waitFor(quickly);
  expect(await item.getByRole("button").count()).toBe(0); // no room to join, nothing to edit
  const dan = await atHome("Dan", {}, "admin");
  await button(dan.page, "Edit All hands").click();
  await button(dan.page, "Cancel meeting").click();
  await button(dan.page.getByRole("alertdialog"), "Cancel meeting").click();
  await item.waitFor(quickly);
  await dan.page.getByText("Nothing scheduled in the next 30 days").waitFor(quickly);
  await part(cleo, dan);
});

test("everything works with the keyboard alone", async () => {
  const eva = await atHome("Eva");
  const { page } = eva;
  const { keyboard } = page;
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
  await button(page, "New room").focus();
  await keyboard.press("Enter");
  await dialog(page, "New room").waitFor(quickly);
  await keyboard.type("Eva's room");
  await keyboard.press("Enter");
  await button(page, "Join Eva's room").waitFor(quickly);
  await expect.poll(focused, quickly).toBe("New room");
  await keyboard.press("Tab");
  await keyboard.press("Enter");
  const form = dialog(page, "Schedule a meeting");
  await form.waitFor(quickly);
  await keyboard.type("Eva's talk");
  await field(form, "Repeats").press("m");
  await field(form, "Room").press("e");
  await field(form, "Title").press("Enter");
  const edit = button(page, "Edit Eva's talk");
  await edit.waitFor(quickly);
  await expect.poll(focused, quickly).toBe("Schedule a meeting");
  await page.getByText(/^Every month/).waitFor(quickly);
  await button(page, "Join Eva's talk").press("Enter");
  await page.getByRole("heading", { name: "Eva's room" }).waitFor(quickly);
  await page.goBack();
  await edit.focus();
  await keyboard.press("Enter");
  await dialog(page, "Edit meeting").waitFor(quickly);
  await keyboard.press("Escape");
  await expect
    .poll(() => edit.evaluate((one) => one === document.activeElement), quickly)
    .toBe(true);
  await keyboard.press("Enter");
  await button(page, "Cancel meeting").focus();
  await keyboard.press("Enter");
  await page.getByRole("alertdialog").waitFor(quickly);
  await keyboard.press("Tab");
  await keyboard.press("Enter");
  await edit.waitFor({ state: "detached" });
  await part(eva);
});

test("the workspace is chosen, and remembered on the device", async () => {
  const fay = await atHome("Fay");
  const { page } = fay;
  const workspace = page.getByRole("combobox", { name: "Workspace" });
  await workspace.selectOption("Personal");
  await page.getByText("No rooms yet").waitFor(quickly);
  await button(page, "New room").click();
  await field(page, "Room name").fill("Just me");
  await button(page, "Create room").click();
  await button(page, "Join Just me").waitFor(quickly);
  await page.reload();
  await button(page, "Join Just me").waitFor(quickly);
  await page.getByRole("link", { name: "Fay" }).click();
  await page.getByRole("heading", { name: "Your account" }).waitFor(quickly);
  await page.getByRole("link", { name: "Conclave" }).click();
  await button(page, "Join Just me").waitFor(quickly);
  await part(fay);
});

test("a list that fails to load says so, and loads on another try", async () => {
  const gil = await atHome("Gil");
  const { page } = gil;
  await page.route("**/api/v1/rooms?*", (route) => route.abort());
  await page.reload();
  const failure = page.getByRole("alert");
  await failure.getByText("The service cannot be reached.").waitFor(quickly);
  expect(await gil.violations()).toEqual([]);
  await page.unroute("**/api/v1/rooms?*");
  await button(page, "Try again").click();
  await list(page, "Your rooms").waitFor(quickly);
  await part(gil);
});

test("long lists are loaded in pages", async () => {
  await Promise.all(Array.from({ length: 26 }, () => service.makeRoom()));
  const hal = await atHome("Hal");
  const items = list(hal.page, "Your rooms").getByRole("listitem");
  const more = button(hal.page, "Show more: Your rooms");
  await more.waitFor(quickly);
  expect(await items.count()).toBe(25);
  await more.click();
  await expect.poll(() => items.count(), quickly).toBeGreaterThan(26);
  await more.waitFor({ state: "detached" });
  await part(hal);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`is fit for assistive technology and a narrow screen, in ${colorScheme}`, async () => {
    const viewport = { width: 360, height: 740 };
    const room = await service.makeRoom();
    await service.call("POST", "/rooms", {
      name: `Vault ${colorScheme}`,
      settings: { encryption: "strict" },
    });
    const planned = await service.call<{ id: string }>("POST", "/meetings", {
      title: "Standup",
      starts_at: `${dateIn(1)}T10:00:00Z`,
      ends_at: `${dateIn(1)}T10:15:00Z`,
      room_id: room.id,
    });
    const ida = await atHome(`Ida${colorScheme}`, { colorScheme, viewport }, "admin");
    const { page } = ida;
    const overflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await list(page, "Your rooms").waitFor(quickly);
    expect(await ida.violations()).toEqual([]);
    expect(await overflow()).toBe(0);
    await button(page, `Link with a secret for Vault ${colorScheme}`).click();
    const secret = dialog(page, "Link with a secret");
    await secret.waitFor(quickly);
    expect(await ida.violations()).toEqual([]);
    expect(await secret.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
    await page.keyboard.press("Escape");
    await secret.waitFor({ state: "detached" });
    for (const name of ["New room", "Schedule a meeting"]) {
      await button(page, name).click();
      const form = dialog(page, name);
      await form.waitFor(quickly);
      if (name === "Schedule a meeting") {
        await field(form, "Repeats").selectOption("Weekly");
        await button(form, "Schedule").click();
      }
      expect(await ida.violations()).toEqual([]);
      expect(await overflow()).toBe(0);
      expect(await form.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
      await page.keyboard.press("Escape");
      await form.waitFor({ state: "detached" });
    }
    await button(page, "Edit Standup").click();
    const edit = dialog(page, "Edit meeting");
    await button(edit, "Add to calendar").waitFor(quickly);
    expect(await ida.violations()).toEqual([]);
    expect(await edit.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
    await page.keyboard.press("Escape");
    await button(page, "Join Standup").click();
    await button(page, "Add to calendar").waitFor(quickly);
    expect(await ida.violations()).toEqual([]);
    expect(await overflow()).toBe(0);
    await service.call("DELETE", `/meetings/${planned.id}`);
    await part(ida);
  });
}
