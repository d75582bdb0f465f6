import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { Browser, Locator } from "playwright-core";
import { createServer, type ViteDevServer } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, Person, soon } from "./people";
import { SecretWatch } from "./secret-watch";
import { ServiceUnderTest } from "./service";

let browser: Browser;
let service: ServiceUnderTest;
let site: ViteDevServer;
let watch: SecretWatch;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
  watch = new SecretWatch(service);
  site = await createServer({
    root: fileURLToPath(new URL("./custom", import.meta.url)),
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["conclave-source", "module", "browser", "development|production"] },
    // No discovery, because a dependency that is found late would reload the page in the meeting.
    optimizeDeps: { include: ["livekit-client"], noDiscovery: true },
    server: { port: 0, host: "localhost" },
  });
  await site.listen();
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
  await service?.stop();
});

/** A link secret, as the server of an integrator makes it. */
const newLinkSecret = () => randomBytes(16).toString("base64url");

const strictRoom = () => service.makeRoom({ encryption: "strict" });

/** The code in the panel "Info", digit by digit, once it has the wanted number of devices. */
async function codeAmong(person: Person, devices: number): Promise<string> {
  const info = await person.openPanel("Info");
  const list = info.getByRole("list", { name: "Devices here" });
  await expect.poll(() => list.getByRole("listitem").count(), soon).toBe(devices);
  return digitsOf(info.getByRole("region", { name: "Compare this code" }));
}

/** The code that two devices show, once it is the same: another code reaches one before the other. */
async function codeOfBoth(
  one: () => Promise<string>,
  other: () => Promise<string>,
): Promise<string> {
  let code = "";
  const isSame = async () => {
    code = await one();
    return code !== "" && code === (await other());
  };
  await expect.poll(isSame, soon).toBe(true);
  return code;
}

async function digitsOf(region: Locator): Promise<string> {
  const text = await region.getByText(/^\d \d \d \d \d, $/).allTextContents();
  return text.join("").replace(/\D/g, "");
}

const sameCode = "Everybody has the same code";
const added = "A new device joined after you compared";

test("people compare a code, and learn of a device that joins later", async () => {
  const room = await strictRoom();
  const ada = await Person.in(browser, "Ada", room.url, { line: await watch.line() });
  const grace = await Person.in(browser, "Grace", room.url, { line: await watch.line() });
  await Promise.all([ada.sees("Grace"), grace.sees("Ada"), ada.hears()]);
  const first = await codeOfBoth(
    () => codeAmong(ada, 2),
    () => codeAmong(grace, 2),
  );
  expect(first).toMatch(/^\d{30}$/);
  const info = await ada.openPanel("Info");
  await info.getByText("End-to-end encrypted: keys only on devices").waitFor(soon);
  expect(await info.getByRole("list", { name: "The code as pictures" }).innerText()).toBe(
    await (await grace.openPanel("Info"))
      .getByRole("list", { name: "The code as pictures" })
      .innerText(),
  );
  await info.getByRole("button", { name: sameCode }).click();
  await info.getByText("You have compared with everybody here.").waitFor(soon);

  // Somebody joins with an interface of their own, and nothing more than a join link.
  await ada.page.keyboard.press("Escape");
  const kit = await Person.at(browser, "Kit", `${site.resolvedUrls?.local[0]}strict.html`, {
    line: await watch.line(),
  });
  await kit.page.waitForFunction(() => typeof window.enterStrict === "function");
  const link = await service.invite(room, "Kit", "participant");
  // The notice goes away by itself, perhaps before Kit's page is done.
  const learns = ada.told(added).waitFor(soon);
  await kit.page.evaluate((given) => window.enterStrict(given), link);
  await learns;
  expect(await grace.told(added).count()).toBe(0);
  await Promise.all([ada.sees("Kit"), kit.sees("Ada"), kit.sees("Grace"), grace.sees("Kit")]);
  await ada.page.getByRole("button", { name: "Compare again" }).click();
  const among = await codeOfBoth(
    () => codeAmong(ada, 3),
    async () => (await kit.page.locator("#code").innerText()).replaceAll(" ", ""),
  );
  expect(among).not.toBe(first);
  const device = info
    .getByRole("list", { name: "Devices here" })
    .getByRole("listitem")
    .filter({ hasText: "Kit" });
  await device.getByText("New", { exact: true }).waitFor(soon);
  await device.getByRole("checkbox", { name: "Verified", exact: true }).check();
  await expect.poll(() => ada.told(added).count(), soon).toBe(0);

  // No banner tells of a device that leaves.
  await kit.page.evaluate(() => window.strictMeeting.leave());
  expect(await codeAmong(ada, 2)).not.toBe(among);
  expect(await ada.told(added).count()).toBe(0);
  await info.getByText("You have compared with everybody here.").waitFor(soon);
  expect(ada.complaints).toEqual([]);
  await watch.look();
  await Promise.all([ada.close(), grace.close(), kit.close()]);
});

test("only people with the same link secret meet, and no request contains it", async () => {
  const room = await strictRoom();
  const secretPart = watch.newLinkSecret();
  const secret = secretPart.slice("k=".length);
  const link = `${room.url}#${secretPart}`;
  const sent: string[] = [];
  const listen = async (page: Person["page"]) => {
    page.on("request", (request) => sent.push(`${request.url()} ${request.postData()}`));
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  };
  const ada = await Person.in(browser, "Ada", link, { prepare: listen, line: await watch.line() });
  const info = await ada.openPanel("Info");
  await info.getByText("Your link has a secret part").waitFor(soon);
  await info.getByRole("button", { name: "Copy link" }).click();
  const copied = await ada.page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(link);
  expect(await info.innerText()).not.toContain(secret);

  const grace = await Person.in(browser, "Grace", copied, {
    prepare: listen,
    line: await watch.line(),
  });
  await Promise.all([ada.sees("Grace"), grace.sees("Ada")]);
  await codeOfBoth(
    () => codeAmong(ada, 2),
    () => codeAmong(grace, 2),
  );

  const eve = await Person.in(browser, "Eve", room.url, { line: await watch.line() });
  await eve.page.getByText("Your link has another secret part").waitFor(soon);
  // The others add her device, because they cannot see its link. It gets no keys from
  // that, and leaves.
  expect(await codeAmong(ada, 2)).toMatch(/^\d{30}$/);
  expect(await eve.framesDecoded()).toBe(0);
  // A reload finds the secret in the page's address.
  await grace.page.reload();
  await grace.join();
  await Promise.all([ada.sees("Grace"), grace.sees("Ada")]);
  expect(sent.length).toBeGreaterThan(10);
  expect(sent.filter((request) => request.includes(secret))).toEqual([]);
  await watch.look();
  await Promise.all([ada.close(), grace.close(), eve.close()]);
});

test("a link whose secret is cut off lets nobody in", async () => {
  const room = await strictRoom();
  const ada = await Person.at(browser, "Ada", `${room.url}#k=${newLinkSecret().slice(0, -1)}`);
  await ada.page.getByRole("alert").getByText("This link is not complete").waitFor(soon);
  await ada.page.getByText("Ask the person who sent it for the whole link.").waitFor(soon);
  await ada.close();
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`what people compare is fit for assistive technology and narrow screens, in ${colorScheme}`, async () => {
    const room = await strictRoom();
    const viewport = { width: 360, height: 740 };
    const link = `${room.url}#${watch.newLinkSecret()}`;
    const line = await watch.line();
    const ada = await Person.in(browser, "Ada", link, { colorScheme, viewport, line });
    const grace = await Person.in(browser, "Grace", link, {
      colorScheme,
      line: await watch.line(),
    });
    await codeAmong(ada, 2);
    const overflow = () =>
      ada.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(await ada.violations()).toEqual([]);
    expect(await overflow()).toBe(0);
    const { keyboard } = ada.page;
    const same = ada.page.getByRole("button", { name: sameCode });
    await expect.poll(() => same.isEnabled(), soon).toBe(true);
    await same.focus();
    await keyboard.press("Enter");
    await ada.page.getByText("You have compared with everybody here.").waitFor(soon);
    const box = ada.page.getByRole("checkbox", { name: "Verified", exact: true });
    await box.focus();
    await keyboard.press("Space");
    expect(await box.isChecked()).toBe(true);
    expect(await ada.violations()).toEqual([]);
    await keyboard.press("Escape");
    const alan = await Person.in(browser, "Alan", link, { line: await watch.line() });
    const again = ada.page.getByRole("button", { name: "Compare again" });
    await again.waitFor(soon);
    expect(await ada.violations()).toEqual([]);
    expect(await overflow()).toBe(0);
    await again.focus();
    await keyboard.press("Enter");
    const code = ada.page.getByRole("region", { name: "Compare this code" });
    await expect
      .poll(() => code.evaluate((one) => one === document.activeElement), soon)
      .toBe(true);
    expect(await ada.violations()).toEqual([]);
    await watch.look();
    await Promise.all([ada.close(), grace.close(), alan.close()]);
  });
}

test("a search finds no key and no link secret of these meetings at the service", async () => {
  await watch.expectNothing("Grace");
});
