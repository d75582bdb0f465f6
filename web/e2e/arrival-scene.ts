import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { createServer, type ViteDevServer } from "vite";
import { addresses, Namespace, type Undo, undoAll } from "./namespace";
import { openBrowser } from "./people";
import { ServiceUnderTest } from "./service";
import { TlsEnd } from "./tls-end";

/** A service, with its address as the browser knows it. */
export interface Address {
  readonly service: ServiceUnderTest;
  readonly url: string;
}

/** Services, a page with nothing but LiveKit's client, and a browser, which may be far away. */
export class Scene {
  readonly #undo: Undo = [];
  readonly #services: Address[] = [];
  browser!: Browser;
  /** The address of the page with LiveKit's client, as the browser knows it. */
  stockUrl!: string;

  /** `binaries` are the builds to run; without any, this one. */
  static async set(roundTrip: number, binaries: readonly string[]): Promise<Scene> {
    const scene = new Scene();
    const programs = binaries.length > 0 ? binaries : [undefined];
    try {
      await (roundTrip === 0 ? scene.#setHere(programs) : scene.#setApart(programs, roundTrip));
    } catch (error) {
      await scene.strike();
      throw error;
    }
    return scene;
  }

  /** One service for each binary, in their order. */
  get services(): readonly Address[] {
    return this.#services;
  }

  async #setHere(programs: readonly (string | undefined)[]): Promise<void> {
    for (const program of programs) {
      const service = await ServiceUnderTest.start(undefined, program);
      this.#undo.push(() => service.stop());
      this.#services.push({ service, url: service.url });
    }
    const site = await this.#startStock();
    this.stockUrl = site.resolvedUrls?.local[0] ?? "";
    this.browser = await openBrowser();
    this.#undo.push(() => this.browser.close());
  }

  async #setApart(programs: readonly (string | undefined)[], roundTrip: number): Promise<void> {
    const network = await Namespace.make(4, roundTrip);
    this.#undo.push(() => network.remove());
    const { ours } = addresses[4];
    for (const program of programs) {
      const settings = ["--media-node-ip", ours];
      const service = await ServiceUnderTest.startWithTls(ours, settings, program);
      this.#undo.push(() => service.stop());
      this.#services.push({ service, url: service.url });
    }
    const stockFront = await TlsEnd.open(ours);
    this.#undo.push(() => stockFront.close());
    const address = (await this.#startStock()).httpServer?.address();
    stockFront.service = address && typeof address === "object" ? address.port : 0;
    this.stockUrl = stockFront.url;
    this.browser = await openBrowser({
      flags: ["--ignore-certificate-errors"],
      program: await network.browser(),
    });
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
