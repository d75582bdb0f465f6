import { type ChildProcess, spawn } from "node:child_process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hasFocus, looksDangerous } from "./looks";
import { openBrowser, Person, quickly } from "./people";
import { freePort, ServiceUnderTest } from "./service";

let browser: Browser;
let service: ServiceUnderTest;
let provider: ChildProcess;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start(startProvider)]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  provider?.kill();
});

/** Starts an identity provider for a service, and returns the service's settings for it. */
async function startProvider(url: string): Promise<readonly string[]> {
  const port = await freePort();
  const script = new URL("identity-provider.mjs", import.meta.url).pathname;
  const args = [script, String(port), `${url}/account/v1/oidc/callback`];
  provider = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise<void>((resolve, reject) => {
    provider.stdout?.once("data", () => resolve());
    provider.once("exit", (code) => reject(new Error(`the provider ended with ${code}`)));
  });
  return [
    ...["--oidc-issuer", `http://localhost:${port}`],
    ...["--oidc-client-id", "conclave", "--oidc-client-secret", "a secret of the two"],
  ];
}

const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const says = (page: Page, text: string) => page.getByRole("alert").getByText(text).waitFor();

test("an invited person chooses a password, signs in and out", async () => {
  const link = await service.inviteMember("ada@acme.example");
  const ada = await Person.at(browser, "Ada", link);
  const { page } = ada;
  await page.getByText("This account belongs to ada@acme.example.").waitFor();
  expect(await ada.violations()).toEqual([]);
  await button(page, "Save and sign in").click();
  await page.getByText("Use at least 10 characters.").waitFor();
  await field(page, "Your name").fill("Ada");
  await page.getByLabel("Choose a password").fill("correct horse");
  await button(page, "Save and sign in").click();
  await page.getByText("Ada", { exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/");
  expect(await ada.violations()).toEqual([]);
  await page.reload();
  await button(page, "Sign out").click();
  await page.getByRole("link", { name: "Sign in" }).click();

  await field(page, "E-mail address").fill("ada@acme.example");
  await page.getByLabel("Password").fill("wrong horse");
  await button(page, "Sign in").press("Enter");
  await says(page, "The e-mail address or the password is not right.");
  expect(await hasFocus(button(page, "Sign in"))).toBe(true);
  expect(await looksDangerous(page.getByRole("alert"))).toBe(true);
  expect(await ada.violations()).toEqual([]);
  await page.getByLabel("Password").fill("correct horse");
  await button(page, "Sign in").click();
  await page.getByRole("button", { name: "Sign out", exact: true }).waitFor();
  expect(await button(page, "Sign out everywhere").count()).toBe(0);
  await page.getByRole("link", { name: "Ada", exact: true }).click();
  await button(page, "Sign out everywhere").click();
  await page.getByRole("link", { name: "Sign in" }).waitFor();

  await page.goto(link);
  await says(page, "This invitation was used, has expired");
  expect(ada.complaints).toEqual([]);
  await ada.close();
});

test("the tab of each page says which page it is", async () => {
  const password = "correct horse battery";
  await service.addMember("cleo@acme.example", "Cleo", "member", password);
  const cleo = await Person.at(browser, "Cleo", `${service.url}/sign-in`);
  const { page } = cleo;
  const hasTitle = async (heading: string) => {
    await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
    await expect.poll(() => page.title(), quickly).toBe(`${heading} · Conclave`);
  };
  await hasTitle("Sign in");
  const data = { email: "cleo@acme.example", password };
  await page.request.post(`${service.url}/account/v1/sign-in`, { data });
  for (const [path, heading] of [
    ["account", "Your account"],
    ["recordings", "Recordings"],
    ["", "Home"],
  ] as const) {
    await page.goto(`${service.url}/${path}`);
    await hasTitle(heading);
  }
  await cleo.close();
});

test("only members can sign in through the organisation", async () => {
  await service.inviteMember("bob@acme.example");
  const room = await service.makeRoom();
  const bob = await Person.at(browser, "Bob", `${service.url}/sign-in?next=/${room.code}`, {
    // The provider's pages load a font, and are shown late without it.
    prepare: (page) => page.route("https://fonts.googleapis.com/**", (route) => route.abort()),
  });
  const { page } = bob;
  const through = async (login: string) => {
    await page.getByRole("link", { name: "Sign in with your organisation" }).click();
    await page.locator("input[name=login]").fill(login);
    await page.locator("input[name=password]").fill("anything");
    await button(page, "Sign-in").click();
    await button(page, "Continue").click();
  };
  await through("eve@elsewhere.example");
  await says(page, "Nobody here has your e-mail address.");
  await page.context().clearCookies();
  await page.goto(`${service.url}/sign-in`);
  await through("unconfirmed@acme.example");
  await says(page, "Your organisation did not confirm your e-mail address.");
  await page.context().clearCookies();
  await page.goto(`${service.url}/sign-in?next=/${room.code}`);
  await through("bob@acme.example");
  await page.getByRole("heading", { name: "Planning" }).waitFor();
  await page.goto(`${service.url}/`);
  await page.getByText("Ada from elsewhere").waitFor();
  await page.goto(`${service.url}/account/v1/oidc/callback?state=x&code=y`);
  await says(page, "Signing in took too long or began in another browser.");
  await bob.close();
});
