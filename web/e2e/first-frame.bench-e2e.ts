import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { createServer, type ViteDevServer } from "vite";
import { expect, test } from "vitest";
import { addresses, Namespace, type Undo, undoAll } from "./namespace";
import { openBrowser, Person, untilDecoded } from "./people";
import { ServiceUnderTest } from "./service";
import { joinSteps, type Steps, stepsSince, traceSteps } from "./steps";
import { TlsEnd } from "./tls-end";

const tries = Number(process.env["TRIES"] ?? 9);
/** Milliseconds for a packet and its answer; 0 is this machine by itself. */
const roundTrips = (process.env["ROUND_TRIPS"] ?? "0").split(",").map(Number);

interface Credentials {
  readonly server_url: string;
  readonly token: string;
  readonly e2ee_passphrase: string;
}

/** A service, a page with nothing but LiveKit's client, and a browser, which may be far away. */
class Scene {
  readonly #undo: Undo = [];
  service!: ServiceUnderTest;
  browser!: Browser;
  /** The addresses of both as the browser knows them. */
  serviceUrl!: string;
  stockUrl!: string;

  static async set(roundTrip: number): Promise<Scene> {
    const scene = new Scene();
    try {
      await (roundTrip === 0 ? scene.#setHere() : scene.#setApart(roundTrip));
    } catch (error) {
      await scene.strike();
      throw error;
    }
    return scene;
  }

  async #setHere(): Promise<void> {
    this.service = await ServiceUnderTest.start();
    this.#undo.push(() => this.service.stop());
    this.serviceUrl = this.service.url;
    const site = await this.#startStock();
    this.stockUrl = site.resolvedUrls?.local[0] ?? "";
    this.browser = await openBrowser();
    this.#undo.push(() => this.browser.close());
  }

  async #setApart(roundTrip: number): Promise<void> {
    const network = await Namespace.make(4, roundTrip);
    this.#undo.push(() => network.remove());
    const { ours } = addresses[4];
    const [front, stockFront] = [await TlsEnd.open(ours), await TlsEnd.open(ours)];
    this.#undo.push(
      () => front.close(),
      () => stockFront.close(),
    );
    this.service = await ServiceUnderTest.start(async () => [
      ...["--public-url", front.url, "--media-node-ip", ours],
    ]);
    this.#undo.push(() => this.service.stop());
    front.service = this.service.ports.http;
    this.serviceUrl = front.url;
    const site = await this.#startStock();
    const address = site.httpServer?.address();
    stockFront.service = address && typeof address === "object" ? address.port : 0;
    this.stockUrl = stockFront.url;
    this.browser = await openBrowser(["--ignore-certificate-errors"], await network.browser());
    this.#undo.push(() => this.browser.close());
  }

  async #startStock(): Promise<ViteDevServer> {
    const site = await createServer({
      root: fileURLToPath(new URL("./stock", import.meta.url)),
      configFile: false,
      logLevel: "error",
      optimizeDeps: { include: ["livekit-client"] },
      server: { port: 0, host: "127.0.0.1", allowedHosts: true },
    });
    await site.listen();
    this.#undo.push(() => site.close());
    return site;
  }

  async strike(): Promise<void> {
    await undoAll(this.#undo);
  }
}

interface Taken {
  readonly took: number;
  readonly steps: Steps;
}

async function measured(person: Person, begin: () => Promise<unknown>): Promise<Taken> {
  await person.page.waitForTimeout(2000); // a person reads the page first
  const decoded = untilDecoded(person.page);
  const moment = await person.page.evaluate(() => performance.timeOrigin + performance.now());
  await begin();
  const took = await decoded;
  const steps = await stepsSince(person.page, moment);
  await person.close();
  return { took, steps: { ...steps, decoded: took } };
}

async function ours({ browser }: Scene, url: string): Promise<Taken> {
  const person = await Person.at(browser, "Newcomer", url, { prepare: traceSteps });
  await person.page.getByRole("textbox", { name: "Your name" }).fill("Newcomer");
  const join = person.page.getByRole("button", { name: "Join now" });
  return measured(person, () => join.click());
}

async function stock({ browser, service, stockUrl }: Scene, roomId: string): Promise<Taken> {
  const credentials = await service.call<Credentials>("POST", `/rooms/${roomId}/tokens`, {
    name: "Stock",
  });
  const person = await Person.at(browser, "Stock", stockUrl, { prepare: traceSteps });
  await person.page.waitForFunction(() => typeof window.enterStock === "function");
  return measured(person, () =>
    person.page.evaluate((given) => {
      void window.enterStock(given);
    }, credentials),
  );
}

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ] ?? Number.NaN;

/** An entry is slow when it takes more than 1.5 times the median of the faster half. */
function summary(name: string, taken: readonly Taken[]): string {
  const times = taken.map(({ took }) => took).sort((a, b) => a - b);
  const fast = percentile(times.slice(0, Math.ceil(times.length / 2)), 0.5);
  const slow = times.filter((time) => time > 1.5 * fast).length;
  const steps = joinSteps.flatMap((step) => {
    const at = taken.flatMap(({ steps }) => steps[step] ?? []);
    return at.length === 0 ? [] : [`${step} ${percentile(at, 0.5).toFixed(0)}`];
  });
  return (
    `  ${name}: fast ${fast.toFixed(0)} ms, slow ${slow} of ${times.length}, ` +
    `p50 ${percentile(times, 0.5).toFixed(0)} ms, p95 ${percentile(times, 0.95).toFixed(0)} ms\n` +
    `    ${times.map((time) => time.toFixed(0)).join(" ")}\n    median of each step: ${steps.join(", ")}\n`
  );
}

for (const roundTrip of roundTrips) {
  test(
    `from Join now to the first decoded frame, compared with LiveKit's own client, ${roundTrip} ms away`,
    async () => {
      const scene = await Scene.set(roundTrip);
      try {
        const room = await scene.service.makeRoom();
        const url = `${scene.serviceUrl}${new URL(room.url).pathname}`;
        const host = await Person.in(scene.browser, "Host", url);
        const all: Record<"ours" | "stock", Taken[]> = { ours: [], stock: [] };
        for (let round = 0; round < tries; round++) {
          all.ours.push(await ours(scene, url));
          all.stock.push(await stock(scene, room.id));
        }
        process.stdout.write(
          `click to first decoded frame, round trip ${roundTrip} ms, ${tries} tries each in turns\n` +
            summary("ours", all.ours) +
            summary("LiveKit's own client", all.stock),
        );
        const took = [...all.ours, ...all.stock].map((one) => one.took);
        expect(took.every(Number.isFinite)).toBe(true);
        await host.close();
      } finally {
        await scene.strike();
      }
    },
    60_000 + tries * 30_000,
  );
}
