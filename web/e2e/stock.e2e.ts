import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { createServer, type ViteDevServer } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, Person } from "./people";
import { ServiceUnderTest } from "./service";

let browser: Browser;
let service: ServiceUnderTest;
let site: ViteDevServer;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
  // Another origin than the service's, as a customer's own product is.
  site = await createServer({
    root: fileURLToPath(new URL("./stock", import.meta.url)),
    configFile: false,
    logLevel: "error",
    optimizeDeps: { include: ["livekit-client"] },
    server: { port: 0, host: "localhost" },
  });
  await site.listen();
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
  await service?.stop();
});

interface Credentials {
  readonly server_url: string;
  readonly token: string;
  readonly e2ee_passphrase: string;
}

async function stockPerson(credentials: Credentials): Promise<Person> {
  const person = await Person.at(browser, "Stock", site.resolvedUrls?.local[0] ?? "");
  await person.page.waitForFunction(() => typeof window.enterStock === "function");
  await person.page.evaluate((given) => window.enterStock(given), credentials);
  return person;
}

test("LiveKit's own client meets ours with a media token, as it is", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  const credentials = await service.call<Credentials>("POST", `/rooms/${room.id}/tokens`, {
    name: "Stock",
  });
  const stock = await stockPerson(credentials);
  await stock.page.waitForFunction(() => window.firstFrame !== null, undefined, { timeout: 15000 });
  await Promise.all([ada.sees("Stock"), ada.hears()]);
  expect(await stock.page.evaluate(() => window.stockErrors)).toEqual([]);
  await Promise.all([ada.close(), stock.close()]);
});

test("with a wrong passphrase it decodes nothing, and is told", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  const credentials = await service.call<Credentials>("POST", `/rooms/${room.id}/tokens`, {
    name: "Stock",
  });
  const stock = await stockPerson({ ...credentials, e2ee_passphrase: "x".repeat(43) });
  await expect
    .poll(() => stock.page.evaluate(() => window.stockErrors.length), { timeout: 15000 })
    .toBeGreaterThan(0);
  expect(await stock.page.evaluate(() => window.firstFrame)).toBeNull();
  await Promise.all([ada.close(), stock.close()]);
});
