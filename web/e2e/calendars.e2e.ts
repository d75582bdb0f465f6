import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hasFocus, looksDangerous } from "./looks";
import { openBrowser, Person, quickly } from "./people";
import { freePort, ServiceUnderTest } from "./service";

let browser: Browser;
let service: ServiceUnderTest;
let calendars: { readonly url: string; readonly process: ChildProcess; readonly folder: string };

beforeAll(async () => {
  [browser, service, calendars] = await Promise.all([
    openBrowser(),
    ServiceUnderTest.start(),
    startRadicale(),
  ]);
  await service.addMember("olga@acme.example", "Olga", "admin", password);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  calendars?.process.kill();
  if (calendars) await rm(calendars.folder, { recursive: true });
});

const password = "correct horse battery";

/** A real CalDAV server with one calendar of the user olga. */
async function startRadicale() {
  const folder = await mkdtemp(join(tmpdir(), "conclave-e2e-radicale-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await writeFile(join(folder, "users"), "olga:app password\n");
  await writeFile(
    join(folder, "config"),
    `[server]\nhosts = 127.0.0.1:${port}\n[auth]\ntype = htpasswd\nhtpasswd_filename = ${folder}/users\nhtpasswd_encryption = plain\ndelay = 0\n[storage]\nfilesystem_folder = ${folder}/data\n[logging]\nlevel = info\n`,
  );
  const process = spawn("radicale", ["--config", join(folder, "config")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  await new Promise<void>((resolve, reject) => {
    process.stderr.on("data", (said: Buffer) => {
      if (said.toString().includes("server ready")) resolve();
    });
    process.once("exit", (code) => reject(new Error(`Radicale ended with ${code}`)));
  });
  const made = await fetch(`${url}/olga/work/`, {
    method: "MKCALENDAR",
    headers: { Authorization: `Basic ${btoa("olga:app password")}` },
    body: '<C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop><D:displayname>Work</D:displayname></D:prop></D:set></C:mkcalendar>',
  });
  expect(made.status).toBe(201);
  return { url, process, folder };
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });

async function signedIn(): Promise<Person> {
  const olga = await Person.at(browser, "Olga", `${service.url}/sign-in?next=/account`);
  await field(olga.page, "E-mail address").fill("olga@acme.example");
  await field(olga.page, "Password").fill(password);
  await button(olga.page, "Sign in").click();
  await olga.page.getByRole("heading", { name: "Connected calendars" }).waitFor();
  return olga;
}

test("a person connects a calendar, and disconnects it", async () => {
  const olga = await signedIn();
  const { page } = olga;
  await page.getByText("No calendar is connected.").waitFor();
  expect(await page.getByText("Connect Google Calendar").count()).toBe(0); // not configured
  await button(page, "Connect a CalDAV server").click();
  await button(page, "Connect").click();
  await page.getByRole("alert").getByText("Enter the address").waitFor();
  await field(page, "Address of the server").fill(calendars.url);
  await field(page, "User name on the server").fill("olga");
  await field(page, "Password on the server").fill("wrong");
  await button(page, "Connect").press("Enter");
  await page.getByRole("alert").getByText("The server refuses this user name").waitFor();
  expect(await hasFocus(button(page, "Connect"))).toBe(true);
  expect(await olga.violations()).toEqual([]);
  await field(page, "Password on the server").fill("app password");
  await field(page, "Password on the server").press("Enter");
  const item = page.getByRole("listitem").filter({ hasText: "Work" });
  await item.getByText("Up to date").waitFor();
  expect(await hasFocus(button(page, "Connect a CalDAV server"))).toBe(true);
  expect(await olga.violations()).toEqual([]);
  await page.reload();
  await item.getByText("Up to date").waitFor();
  expect(await looksDangerous(button(page, "Disconnect"))).toBe(true);
  await button(page, "Disconnect").press("Enter");
  await page.getByRole("alertdialog").getByText("Future meetings").waitFor();
  await page.getByRole("alertdialog").getByRole("button", { name: "Disconnect" }).press("Enter");
  await page.getByText("No calendar is connected.").waitFor();
  const section = page.getByRole("region", { name: "Connected calendars" });
  await expect.poll(() => hasFocus(section), quickly).toBe(true);
  await olga.close();
});

test("a form that is closed gives the focus back, and forgets what was wrong in it", async () => {
  const olga = await signedIn();
  const { page } = olga;
  await button(page, "Connect a CalDAV server").press("Enter");
  await button(page, "Connect").press("Enter");
  await page.getByRole("alert").getByText("Enter the address").waitFor();
  await button(page, "Cancel").press("Enter");
  expect(await hasFocus(button(page, "Connect a CalDAV server"))).toBe(true);
  await button(page, "Connect a CalDAV server").press("Enter");
  await field(page, "Address of the server").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  await olga.close();
});

test("a person subscribes to their meetings, and resets the address", async () => {
  const olga = await signedIn();
  const { page } = olga;
  expect(await button(page, "Reset address").count()).toBe(0);
  await button(page, "Copy address").click();
  const address = await field(page, "Secret address").inputValue();
  const feed = await fetch(address);
  expect([feed.status, feed.headers.get("Content-Type")]).toEqual([
    200,
    "text/calendar; charset=utf-8",
  ]);
  expect(await looksDangerous(button(page, "Reset address"))).toBe(true);
  await button(page, "Reset address").click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Reset address" }).click();
  await page.getByText("The address is new.").waitFor();
  expect(await field(page, "Secret address").inputValue()).not.toBe(address);
  expect((await fetch(address)).status).toBe(404);
  expect(await olga.violations()).toEqual([]);
  await olga.close();
});
