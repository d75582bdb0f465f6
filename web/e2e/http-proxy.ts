import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";

/** A proxy as companies have them: it passes on connections to one port, and nothing else. */
export class HttpProxy {
  readonly url: string;
  readonly port: number;
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  private constructor(server: Server, host: string, port: number, allowed: number) {
    this.#server = server;
    this.port = port;
    this.url = `http://${host}:${port}`;
    server.on("connect", (request, client: Socket) => {
      const [name = "", wanted = ""] = (request.url ?? "").split(":");
      client.on("error", () => {}); // "close" follows
      if (Number(wanted) !== allowed) {
        client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
        return;
      }
      const service = connect(Number(wanted), name, () => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        client.pipe(service).pipe(client);
      });
      for (const [one, other] of [
        [client, service],
        [service, client],
      ] as const) {
        this.#open.add(one);
        one.on("error", () => {}); // "close" follows
        one.on("close", () => {
          this.#open.delete(one);
          other.destroy();
        });
      }
    });
  }

  /** Opens a proxy at an address of this machine, which passes on connections to `allowed`. */
  static async open(host: string, allowed: number): Promise<HttpProxy> {
    const server = createServer((_, answer) => answer.writeHead(403).end());
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, host, resolve);
    });
    const address = server.address();
    const port = address && typeof address === "object" ? address.port : 0;
    return new HttpProxy(server, host, port, allowed);
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }
}
