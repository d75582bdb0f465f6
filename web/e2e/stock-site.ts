import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { createServer, type ViteDevServer } from "vite";
import { Person } from "./people";

/** What it takes to connect, as the API and the meeting protocol give it. */
export interface Credentials {
  readonly server_url: string;
  readonly token: string;
  readonly e2ee_passphrase: string;
}

/** LiveKit's own client on another origin than the service's, as in a customer's own product. */
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

  /** Its page, which has not connected to anything yet. */
  async open(browser: Browser): Promise<Person> {
    const person = await Person.at(browser, "Stock", this.#server.resolvedUrls?.local[0] ?? "");
    await person.page.waitForFunction(() => typeof window.refusedStock === "function");
    return person;
  }
}
