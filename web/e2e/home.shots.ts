import type { Browser } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { openBrowser, Person, type PersonOptions } from "./people";
import { desktop, phone, shoot } from "./screenshots";
import { type Room, ServiceUnderTest } from "./service";

const password = "correct horse battery";

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
  await service.addMember("ada@acme.example", "Ada Lovelace", "admin", password);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function atHome(options: PersonOptions): Promise<Person> {
  const ada = await Person.at(browser, "Ada", `${service.url}/`, {
    timezone: "Europe/Berlin",
    ...options,
    prepare: (page) =>
      page.request.post(`${service.url}/account/v1/sign-in`, {
        data: { email: "ada@acme.example", password },
      }),
  });
  await ada.page.getByRole("button", { name: "New room" }).waitFor();
  await ada.page.getByText("Loading").first().waitFor({ state: "detached" });
  return ada;
}

const looks = [
  ["light", { viewport: desktop }],
  ["dark", { viewport: desktop, colorScheme: "dark" }],
  ["phone", { viewport: phone }],
] as const;

test("an empty home, in the personal workspace", async () => {
  const ada = await atHome({ viewport: desktop });
  await ada.page.getByRole("combobox", { name: "Workspace" }).selectOption("Personal");
  await ada.page.getByText("No rooms yet").waitFor();
  await shoot(ada.page, "home-empty");
  await ada.close();
});

test("a home with rooms and meetings, and its dialogs", async () => {
  const room = await fill();
  for (const [look, options] of looks) {
    const ada = await atHome(options);
    const { page } = ada;
    await page.getByText("Weekly review").first().waitFor();
    await shoot(page, `home-member-${look}`);
    await page.getByRole("button", { name: "New room" }).click();
    await page.getByRole("dialog").waitFor();
    await shoot(page, `home-new-room-${look}`);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Edit Weekly review" }).click();
    await page.getByRole("dialog").waitFor();
    await shoot(page, `home-edit-${look}`);
    await page.getByLabel("Title").fill("");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Save" }).scrollIntoViewIfNeeded();
    await shoot(page, `home-edit-wrong-${look}`);
    await page.getByRole("button", { name: "Cancel meeting" }).click();
    await page.getByRole("alertdialog").waitFor();
    await shoot(page, `home-cancel-${look}`);
    await page.goto(room.url);
    await page.getByText("Now: Stand-up").waitFor();
    await shoot(page, `pre-join-planned-${look}`);
    await ada.close();
  }
});

/** The rooms and meetings of a small company. */
async function fill(): Promise<Room> {
  const day = (days: number) =>
    new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
  const room = await service.call<Room>("POST", "/rooms", { name: "Weekly review" });
  const members = { access: "members", admission: "knock" };
  await service.call("POST", "/rooms", { name: "Board of directors", settings: members });
  const locked = await service.call<{ id: string }>("POST", "/rooms", {
    name: "Interviews for the position of a senior engineer in the media team",
  });
  await service.call("PATCH", `/rooms/${locked.id}`, { locked: true });
  await service.call("POST", "/rooms", { name: "חדר הישיבות" });
  const now = new Date();
  const meetings = [
    {
      title: "Stand-up",
      starts_at: new Date(now.getTime() - 600_000).toISOString(),
      ends_at: new Date(now.getTime() + 1_200_000).toISOString(),
      room_id: room.id,
      recurrence: "daily",
    },
    {
      title: "Weekly review",
      description: "What we did, what we do next",
      starts_at: `${day(1)}T10:00:00Z`,
      ends_at: `${day(1)}T11:00:00Z`,
      room_id: room.id,
      recurrence: "weekly",
      recurrence_until: `${day(120)}T23:00:00Z`,
      timezone: "America/New_York",
    },
    {
      title: "Planning the conference at the end of the year with everybody who helps",
      starts_at: `${day(5)}T13:00:00Z`,
      ends_at: `${day(5)}T15:30:00Z`,
    },
  ];
  for (const meeting of meetings) await service.call("POST", "/meetings", meeting);
  return room;
}
