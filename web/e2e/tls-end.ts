import { writeFile } from "node:fs/promises";
import { connect, isIPv6, type Socket } from "node:net";
import { join } from "node:path";
import { createServer, type Server } from "node:tls";

/** A proxy that takes TLS off and passes on whatever is inside, to a service on this machine. */
export class TlsEnd {
  readonly url: string;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  /** The port of the service; known once the service has been started. */
  service = 0;

  private constructor(server: Server, host: string, port: number) {
    this.#server = server;
    this.url = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
    server.on("secureConnection", (outer) => {
      const inner = connect(this.service, "127.0.0.1");
      for (const [one, other] of [
        [outer, inner],
        [inner, outer],
      ] as const) {
        this.#open.add(one);
        // As the service does: otherwise a small message waits until the one before has arrived.
        one.setNoDelay(true);
        one.on("error", () => {}); // "close" follows
        one.on("close", () => {
          this.#open.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
  }

  /** The port of its address. */
  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Opens it at an address. A name is what people call it, if not that address. */
  static async open(host = "127.0.0.1", name = host): Promise<TlsEnd> {
    const server = createServer({ key, cert, ALPNProtocols: ["http/1.1"] });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, host, resolve);
    });
    const address = server.address();
    return new TlsEnd(server, name, address && typeof address === "object" ? address.port : 0);
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }
}

/** Settings with which TLS ends in the service; the same certificate, written to a directory. */
export async function certificateIn(directory: string): Promise<readonly string[]> {
  const [certFile, keyFile] = [join(directory, "cert.pem"), join(directory, "key.pem")];
  await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key)]);
  return ["--tls-cert", certFile, "--tls-key", keyFile];
}

/** A certificate for 127.0.0.1 that nobody trusts, and its key, which protects nothing. */
const cert = `-----BEGIN CERTIFICATE-----
MIIBmDCCAT6gAwIBAgIUCeN+uzV5UMuoy4qaBIPQDyEjAhwwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNY29uY2xhdmUtdGVzdDAgFw0yNjExMjMxNTUxMjZaGA8yMTI2
MTAzMDE1NTEyNlowGDEWMBQGA1UEAwwNY29uY2xhdmUtdGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABBMqavBFV4iYWZwzLrEI3j3ERRATz/7q7W/9mOUX86Ie
wM4n4vaz7A6ejW04fy0IGDyjiyBOnxZx1gN8Imq2tDejZDBiMB0GA1UdDgQWBBQs
CEtrXxygTZK0SQ3ifunJhKQ2vDAfBgNVHSMEGDAWgBQsCEtrXxygTZK0SQ3ifunJ
hKQ2vDAPBgNVHRMBAf8EBTADAQH/MA8GA1UdEQQIMAaHBH8AAAEwCgYIKoZIzj0E
AwIDSAAwRQIhANHSspvVplGvgfaKBjXDzyeqeMqrwIOL5VBQxFbyRNGpAiB05MCY
TquGxAHtK4oqlTjBjjzwGDLb/9n7ORlIpFiU5Q==
-----END CERTIFICATE-----
`;
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCHPkOuy7DH8F6xdN
aKjNP85wTQI/erUHIhize8t/x0uhRANCAAQTKmrwRVeImFmcMy6xCN49xEUQE8/+
6u1v/ZjlF/OiHsDOJ+L2s+wOno1tOH8tCBg8o4sgTp8WcdYDfCJqtrQ3
-----END PRIVATE KEY-----
`;
