import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { createServer, type ViteDevServer } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, Person, untilDecoded } from "./people";
import { ServiceUnderTest } from "./service";

let browser: Browser;
let service: ServiceUnderTest;
let site: ViteDevServer;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
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

async function ours(url: string): Promise<number> {
  const person = await Person.at(browser, "Newcomer", url);
  await person.page.getByRole("textbox", { name: "Your name" }).fill("Newcomer");
  await person.page.waitForTimeout(2000); // a person reads the page first
  const decoded = untilDecoded(person.page);
  await person.page.getByRole("button", { name: "Join now" }).click();
  const took = await decoded;
  await person.close();
  return took;
}

async function stock(roomId: string): Promise<number> {
  const credentials = await service.call<Credentials>("POST", `/rooms/${roomId}/tokens`, {
    name: "Stock",
  });
  const person = await Person.at(browser, "Stock", site.resolvedUrls?.local[0] ?? "");
  await person.page.waitForFunction(() => typeof window.enterStock === "function");
  await person.page.waitForTimeout(2000);
  const decoded = untilDecoded(person.page);
  await person.page.evaluate((given) => window.enterStock(given), credentials);
  const took = await decoded;
  await person.close();
  return took;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

test("from Join now to the first decoded frame, compared with LiveKit's own client", async () => {
  const rounds = 9;
  const room = await service.makeRoom();
  const host = await Person.in(browser, "Host", room.url);
  const times = { ours: [] as number[], stock: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    times.ours.push(await ours(room.url));
    times.stock.push(await stock(room.id));
  }
  const [a, b] = [median(times.ours), median(times.stock)];
  process.stdout.write(
    `click to first decoded frame, ${rounds} rounds in turns: ours ${a.toFixed(0)} ms, ` +
      `LiveKit's own client ${b.toFixed(0)} ms, ratio ${(a / b).toFixed(2)}\n` +
      `  ours  ${times.ours.map((t) => t.toFixed(0)).join(" ")}\n` +
      `  stock ${times.stock.map((t) => t.toFixed(0)).join(" ")}\n`,
  );
  expect(times.ours).toHaveLength(rounds);
  await host.close();
});
