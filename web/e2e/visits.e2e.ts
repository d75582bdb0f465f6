import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, Person } from "./people";
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

/** Counts the bytes that arrive at a page, as they travel: headers, and bodies compressed. */
class Scale {
  readonly #network: CDPSession;
  #bytes = 0;

  private constructor(network: CDPSession) {
    this.#network = network;
    network.on("Network.loadingFinished", ({ encodedDataLength }) => {
      this.#bytes += encodedDataLength;
    });
  }

  static async under(page: Page): Promise<Scale> {
    const network = await page.context().newCDPSession(page);
    await network.send("Network.enable");
    return new Scale(network);
  }

  /** The bytes of a visit that has ended. */
  async weigh(visit: () => Promise<unknown>): Promise<number> {
    const before = this.#bytes;
    await visit();
    return this.#bytes - before;
  }

  async close(): Promise<void> {
    await this.#network.detach();
  }
}

/** For each page: its name, its path, the most bytes it may take, and the last file it asks for. */
for (const [name, path, most, last] of [
  ["a room's page", "", 450_000, "/assets/meeting-page"],
  ["the API reference", "/docs", 1_100_000, "/account/v1/openapi.json"],
] as const) {
  test(`${name} travels once`, async () => {
    const room = await service.makeRoom();
    const ada = await Person.at(browser, "Ada", "about:blank");
    const scale = await Scale.under(ada.page);
    const visit = async () => {
      const asked = ada.page.waitForResponse((response) => response.url().includes(last));
      await ada.page.goto(path === "" ? room.url : `${service.url}${path}`);
      await (await asked).finished();
      await ada.page.waitForLoadState("networkidle");
    };
    const first = await scale.weigh(visit);
    await ada.page.goto("about:blank");
    const second = await scale.weigh(visit);
    process.stdout.write(`${name}: ${first} bytes at the first visit, ${second} at the second\n`);
    expect(first).toBeGreaterThan(100_000);
    expect(first).toBeLessThan(most);
    expect(second).toBeLessThan(10_000);
    await scale.close();
    await ada.close();
  });
}
