import type { Browser, Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { isIn, openBreakouts } from "./breakout-rooms";
import { openFirefox } from "./firefox";
import { closePeople, openBrowser, Person, soon } from "./people";
import { playScreen } from "./played-camera";
import { RecordedFile, readyRecording } from "./recorded-file";
import { ServiceUnderTest } from "./service";
import { makeFilm, record, ticketOf } from "./synthetic-recording";

let chromium: Browser;
let firefox: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [chromium, firefox, service] = await Promise.all([
    openBrowser(),
    openFirefox(),
    ServiceUnderTest.start(),
  ]);
});

afterEach((context) => closePeople(chromium, context));
afterEach((context) => closePeople(firefox, context));

afterAll(async () => {
  await Promise.all([chromium?.close(), firefox?.close()]);
  await service?.stop();
});

/** Two people see and hear each other. */
async function meet(one: Person, other: Person): Promise<void> {
  await Promise.all([one.sees(other.name), other.sees(one.name), one.hears(), other.hears()]);
}

test("somebody with Firefox meets somebody with Chromium, and both share screens", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(chromium, "Ada", room.url);
  const fay = await Person.in(firefox, "Fay", room.url);
  await meet(ada, fay);
  const [hers] = await Promise.all([ada.openPanel("Chat"), fay.openPanel("Chat")]);
  const write = fay.page.getByRole("textbox", { name: "Message" });
  await write.pressSequentially("Hello from Fay");
  await write.press("Enter");
  await hers.getByText("Hello from Fay").waitFor(soon);
  for (const [one, other] of [
    [ada, fay],
    [fay, ada],
  ] as const) {
    await one.page.evaluate(playScreen);
    await one.control("Share screen").click();
    await other.sees(`${one.name}'s screen`);
    await one.control("Stop sharing").click();
    await other.tile(`${one.name}'s screen`).waitFor({ state: "detached", ...soon });
  }
  expect([...ada.complaints, ...fay.complaints]).toEqual([]);
});

test("and in a strict room, where a host lets them in, into a breakout, and back", async () => {
  const room = await service.makeRoom({ encryption: "strict", admission: "knock" });
  const ada = await Person.in(chromium, "Ada", await service.invite(room, "Ada", "host"));
  const fay = await Person.at(firefox, "Fay", room.url);
  await fay.page.getByRole("textbox", { name: "Your name" }).pressSequentially("Fay");
  await fay.page.getByRole("button", { name: "Ask to join" }).click();
  await ada.told("Someone is waiting").getByRole("button", { name: "Admit", exact: true }).click();
  await fay.isInside();
  await meet(ada, fay);
  await openBreakouts(service, room, { Ada: 0, Fay: 0 });
  await Promise.all([isIn(ada, "Room 1"), isIn(fay, "Room 1")]);
  await meet(ada, fay);
  await fay.page.getByRole("button", { name: "Return to main room" }).click();
  await isIn(fay, "Main room");
  await ada.page.getByRole("button", { name: "Return to main room" }).click();
  await meet(ada, fay);
  expect([...ada.complaints, ...fay.complaints]).toEqual([]);
});

test("a device with Firefox comes back when the media server or the service is killed", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(chromium, "Ada", room.url);
  const fay = await Person.in(firefox, "Fay", room.url);
  await meet(ada, fay);
  const seesAnew = await fay.seesAnew("Ada");
  service.killMediaServer();
  await seesAnew();
  await meet(ada, fay);
  await service.kill();
  await fay.told("Reconnecting...").waitFor(soon);
  await service.up();
  await fay.told("Reconnecting...").waitFor({ state: "detached", ...soon });
  await meet(ada, fay);
  // Firefox also reports connections that fail as errors of the page.
  const errors = fay.complaints.filter((one) => !one.startsWith("Firefox can’t establish"));
  expect([...ada.complaints, ...errors]).toEqual([]);
});

test("somebody with Firefox who leaves the page is gone at once, and comes back", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(chromium, "Ada", room.url);
  const fay = await Person.in(firefox, "Fay", room.url);
  await ada.sees("Fay");
  const before = (await service.participants(room)).find(({ name }) => name === "Fay")?.identity;
  fay.page.on("dialog", (question) => question.accept());
  await fay.page.goto("about:blank");
  // Firefox lets the page say nothing, and a lost person counts as gone for another reason.
  const last = async () => (await service.happened(room)).at(-1);
  await expect.poll(last, soon).toBe("participant.left left");
  await fay.page.goto(room.url);
  await fay.join();
  await fay.page.reload();
  await fay.join();
  await Promise.all([ada.sees("Fay"), fay.sees("Ada")]);
  const after = (await service.participants(room)).find(({ name }) => name === "Fay")?.identity;
  expect(after).toBe(before);
  expect([...ada.complaints, ...fay.complaints]).toEqual([]);
});

test("a host with Firefox lets somebody in, records, and ends the meeting", async () => {
  const room = await service.makeRoom({ admission: "knock" });
  const fay = await Person.in(firefox, "Fay", await service.invite(room, "Fay", "host"));
  const ada = await Person.at(chromium, "Ada", room.url);
  await ada.page.getByRole("textbox", { name: "Your name" }).fill("Ada");
  await ada.page.getByRole("button", { name: "Ask to join" }).click();
  await fay.told("Someone is waiting").getByRole("button", { name: "Admit", exact: true }).click();
  await ada.isInside();
  await meet(ada, fay);
  await fay.control("Record").click();
  await ada.told("Recording").waitFor(soon);
  const banner = () => fay.told("Recording").textContent();
  await expect.poll(banner, soon).toMatch(/0:0[6-9]|0:[1-5]\d/);
  await fay.control("Stop recording").click();
  const file = await RecordedFile.fetch(service, await readyRecording(service, room));
  expect(await file.faults()).toBe("");
  expect(await file.pictureAt(3)).toBeGreaterThan(1000);
  expect(await file.soundSeconds()).toBeGreaterThan(3);
  await file.delete();
  await fay.control("Leave").click();
  await fay.page.getByRole("menuitem", { name: "End for everyone" }).click();
  const sure = fay.page.getByRole("alertdialog");
  await sure.getByRole("button", { name: "End for everyone" }).click();
  for (const { page } of [ada, fay]) {
    await page.getByRole("heading", { name: "The meeting has ended" }).waitFor(soon);
  }
  expect([...ada.complaints, ...fay.complaints]).toEqual([]);
});

test("a member with Firefox signs in, schedules a meeting, and plays a recording", async () => {
  const [film, room] = await Promise.all([makeFilm(30), service.makeRoom()]);
  const host = await Person.in(chromium, "Ada", await service.invite(room, "Ada", "host"));
  const id = await record(service, { ticket: await ticketOf(host, room), room, film });
  await service.call("PATCH", `/recordings/${id}`, { title: "Film" });
  await host.close();
  await service.addMember("fay@acme.example", "Fay", "member", "correct horse battery");
  const fay = await Person.at(firefox, "Fay", `${service.url}/sign-in`);
  const { page } = fay;
  await page.getByLabel("E-mail address").pressSequentially("fay@acme.example");
  await page.getByLabel("Password").pressSequentially("correct horse battery");
  await page.getByRole("button", { name: "Sign in" }).click();

  await page.getByRole("button", { name: "Schedule a meeting" }).click(soon);
  const form = page.getByRole("dialog", { name: "Schedule a meeting" });
  await form.getByLabel("Title").pressSequentially("Weekly review");
  const date = form.getByLabel("Date", { exact: true });
  for (const field of [date, form.getByLabel("Starts"), form.getByLabel("Ends")]) {
    expect(await isWhollyLegible(field)).toBe(true);
  }
  const [year = "", month = "", day = ""] = new Date(Date.now() + 3 * 86_400_000)
    .toISOString()
    .slice(0, 10)
    .split("-");
  await date.focus();
  await page.keyboard.type(`${month}${day}${year}`);
  await form.getByLabel("Starts").focus();
  await page.keyboard.type("1000AM");
  await form.getByLabel("Ends").focus();
  await page.keyboard.type("1100AM");
  await form.getByRole("button", { name: "Schedule" }).click();
  const upcoming = page.getByRole("list", { name: "Upcoming" });
  await upcoming.getByText("10:00 AM – 11:00 AM").waitFor(soon);

  await page.getByRole("link", { name: "Recordings" }).click();
  const entry = page.getByRole("listitem").filter({ hasText: "Film" });
  await entry.getByRole("button", { name: "Play", exact: true }).click(soon);
  const video = page.getByRole("dialog", { name: "Film" }).locator("video");
  const time = () =>
    video.evaluate((one) =>
      one instanceof HTMLVideoElement && one.videoWidth ? one.currentTime : 0,
    );
  await expect.poll(time, soon).toBeGreaterThan(1);
  await video.evaluate((one) => {
    if (one instanceof HTMLVideoElement) one.currentTime = 25;
  });
  await expect.poll(time, soon).toBeGreaterThan(25.5);
  expect(fay.complaints).toEqual([]);
});

/** Whether a field is as wide as what it shows. */
function isWhollyLegible(field: Locator): Promise<boolean> {
  return field.evaluate((element) => {
    if (!(element instanceof HTMLElement)) return false;
    const width = element.offsetWidth;
    element.style.width = "max-content";
    const wanted = element.offsetWidth;
    element.style.width = "";
    return wanted <= width;
  });
}
