import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { createServer, type ViteDevServer } from "vite";
import { Person } from "./people";

/** What a client needs to connect, from the API and the meeting protocol. */
export interface Credentials {
  readonly server_url: string;
  readonly token: string;
  readonly e2ee_passphrase: string;
}

/**
 * A site with LiveKit's own client on another origin than the service's, like a customer's product.
 */
export class StockSite {
  readonly #server: ViteDevServer;

  private constructor(server: ViteDevServer) {
    this.#server = server;
  }

  static async start(): Promise<StockSite> {
    const server = await createServer({
      root: fileURLToPath(new URL("./stock", import.meta.url)),
      configFile: false,
      logLevel: "error",
      optimizeDeps: { include: ["livekit-client"] },
      server: { port: 0, host: "localhost" },
    });
    await server.listen();
    return new StockSite(server);
  }

  async stop(): Promise<void> {
    await this.#server.close();
  }

  /** Opens its page, which does not connect by itself. */
  async open(browser: Browser): Promise<Person> {
    const person = await Person.at(browser, "Stock", this.#server.resolvedUrls?.local[0] ?? "");
    await person.page.waitForFunction(() => typeof window.refusedStock === "function");
    return person;
  }
}
