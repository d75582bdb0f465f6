import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openFirefox } from "./firefox";
import { closePeople, openBrowser, Person, soon } from "./people";
import { RecordedFile, readyRecording } from "./recorded-file";
import { ServiceUnderTest } from "./service";

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

test("somebody with Firefox meets somebody with Chromium", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(chromium, "Ada", room.url);
  const fay = await Person.in(firefox, "Fay", room.url);
  await Promise.all([ada.sees("Fay"), fay.sees("Ada")]);
  await Promise.all([ada.hears(), fay.hears()]);
  const [hers] = await Promise.all([ada.openPanel("Chat"), fay.openPanel("Chat")]);
  const write = fay.page.getByRole("textbox", { name: "Message" });
  await write.pressSequentially("Hello from Fay");
  await write.press("Enter");
  await hers.getByText("Hello from Fay").waitFor(soon);
  expect([...ada.complaints, ...fay.complaints]).toEqual([]);
});

test("and in a strict room", async () => {
  const room = await service.makeRoom({ encryption: "strict" });
  const fay = await Person.in(firefox, "Fay", room.url);
  const ada = await Person.in(chromium, "Ada", room.url);
  await Promise.all([ada.sees("Fay"), fay.sees("Ada")]);
  await Promise.all([ada.hears(), fay.hears()]);
  expect([...ada.complaints, ...fay.complaints]).toEqual([]);
});

test("a host with Firefox records", async () => {
  const room = await service.makeRoom();
  const fay = await Person.in(firefox, "Fay", await service.invite(room, "Fay", "host"));
  const ada = await Person.in(chromium, "Ada", room.url);
  await Promise.all([fay.sees("Ada"), fay.hears()]);
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
  expect([...ada.complaints, ...fay.complaints]).toEqual([]);
});
