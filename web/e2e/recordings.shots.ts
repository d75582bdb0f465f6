import type { Browser } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { openBrowser, Person } from "./people";
import { desktop, phone, shoot } from "./screenshots";
import { ServiceUnderTest } from "./service";
import { type Film, makeFilm, record, ticketOf } from "./synthetic-recording";

const password = "correct horse battery";

let browser: Browser;
let service: ServiceUnderTest;
let film: Film;

beforeAll(async () => {
  [browser, service, film] = await Promise.all([
    openBrowser(),
    ServiceUnderTest.start(),
    makeFilm(30),
  ]);
  await service.addMember("ada@acme.example", "Ada Lovelace", "admin", password);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

function open(path: string): Promise<Person> {
  const data = { email: "ada@acme.example", password };
  return Person.at(browser, "Ada", service.url + path, {
    timezone: "Europe/Berlin",
    prepare: (page) => page.request.post(`${service.url}/account/v1/sign-in`, { data }),
  });
}

const looks = [
  ["light", desktop, "light"],
  ["dark", desktop, "dark"],
  ["phone", phone, "light"],
] as const;

test("recordings and their menus", async () => {
  const { page } = await open("/account");
  await page.getByText("this device").waitFor();
  await page.goto(`${service.url}/recordings`);
  await page.getByText("No recordings yet").waitFor();
  await shoot(page, "recordings-empty");
  await make("Weekly review");
  await make("Interviews for the position of a senior engineer in the media team");
  await make("Board of directors", { film: { ...film, fragments: [] } });
  await make("חדר הישיבות", {}, { recordings: "end_to_end" });
  const host = await make("Planning", { isUnfinished: true });
  const late = await open("/account");
  await late.page.getByText("this device").waitFor();
  for (const [look, viewport, colorScheme] of looks) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.goto(`${service.url}/recordings`);
    await page.getByText("Weekly review").waitFor();
    await shoot(page, `recordings-${look}`);
    const item = page.getByRole("listitem").filter({ hasText: "חדר הישיבות" });
    await item.getByRole("button", { name: "Play" }).click();
    await page.getByRole("button", { name: "Let devices open it" }).waitFor();
    await page.waitForFunction(() => (document.querySelector("video")?.currentTime ?? 0) > 0.5);
    await shoot(page, `recordings-play-${look}`);
    await page.keyboard.press("Escape");
    await item.getByRole("button", { name: "Rename" }).click();
    await shoot(page, `recordings-rename-${look}`);
    await page.goto(`${service.url}/account`);
    await page.getByText("this device").scrollIntoViewIfNeeded();
    await shoot(page, `account-devices-${look}`);
  }
  await late.page.goto(`${service.url}/recordings`);
  const shut = late.page.getByRole("listitem").filter({ hasText: "חדר הישיבות" });
  await shut.getByRole("button", { name: "Play" }).click();
  await late.page.getByRole("alert").waitFor();
  await shoot(late.page, "recordings-shut-out");
  await Promise.all([host.close(), late.close()]);
});

/** Makes a recording in a room of its own; returns the host, who stays if the recording goes on. */
async function make(title: string, plan: object = {}, settings: object = {}): Promise<Person> {
  const room = await service.makeRoom(settings);
  const host = await Person.in(browser, "Grace", await service.invite(room, "Grace", "host"));
  const id = await record(service, { ticket: await ticketOf(host, room), room, film, ...plan });
  await service.call("PATCH", `/recordings/${id}`, { title });
  if (!("isUnfinished" in plan)) await host.close();
  return host;
}
