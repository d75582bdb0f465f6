import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { expect } from "vitest";
import { type Place, placesWith, placesWithAny } from "./secret-search";
import type { ServiceUnderTest } from "./service";
import { Wiretap, type WiretapOptions } from "./wiretap";

/**
 * The secrets of the devices in strict meetings during one run of the service, and every place
 * where none of them may be.
 */
export class SecretWatch {
  readonly #service: ServiceUnderTest;
  readonly #taps: Wiretap[] = [];
  readonly #own: Buffer[] = [];
  readonly #kept: Place[] = [];

  constructor(service: ServiceUnderTest) {
    this.#service = service;
  }

  /** A line for one person's browser. The search covers everything that passes through it. */
  async line(options: WiretapOptions = {}): Promise<Wiretap> {
    const tap = await Wiretap.to(this.#service.ports, options);
    this.#taps.push(tap);
    return tap;
  }

  /** A chat message whose text is nowhere else. */
  newText(words: string): string {
    const text = `${words} ${randomBytes(12).toString("hex")}`;
    this.#own.push(Buffer.from(text));
    return text;
  }

  /** The part of a link with a new secret, behind the #. */
  newLinkSecret(): string {
    const secret = randomBytes(16);
    this.#own.push(secret);
    return `k=${secret.toString("base64url")}`;
  }

  /** Copies what the service keeps now, because it deletes most of that when a meeting ends. */
  async look(): Promise<void> {
    this.#kept.push(...(await this.#service.places()));
  }

  /**
   * Fails if a key or a text of a device is in the database, on disk or in the log, or passed the
   * gate, the meeting protocol or the data channels. `name` is the name of somebody who was there.
   * The search must find it, to show that it works.
   */
  async expectNothing(name: string): Promise<void> {
    const secrets = this.#secrets();
    const everywhere = [...this.#kept, ...(await this.#service.places()), ...this.#passed];
    this.#expectSight(name, everywhere);
    expect(placesWithAny(secrets, everywhere)).toEqual([]);
    // The search blocked this process for seconds: let it notice ends of connections first.
    await new Promise((resolve) => setTimeout(resolve));
    await this.#expectFound(secrets);
    for (const tap of this.#taps) tap.close();
  }

  get #passed(): readonly Place[] {
    return this.#taps.flatMap((tap) => tap.places);
  }

  /** The keys and texts to search for, each once. */
  #secrets(): readonly Buffer[] {
    const keys = this.#taps.flatMap((tap) => tap.keys);
    for (const kind of ["media", "data", "message", "signature"]) {
      expect(keys.filter((key) => key.kind === kind).length, kind).toBeGreaterThan(1);
    }
    // A signature key is wrapped in 16 bytes that are the same for all (RFC 8410).
    const bytes = keys
      .filter(({ kind }) => kind !== "public")
      .map((key) => (key.kind === "signature" ? key.bytes.subarray(-32) : key.bytes));
    const different = new Set([...bytes, ...this.#own].map((one) => one.toString("hex")));
    return [...different].map((hex) => Buffer.from(hex, "hex"));
  }

  /** Checks that the search finds what is not secret: in the files, the log and the traffic. */
  #expectSight(name: string, everywhere: readonly Place[]): void {
    const find = (text: string) => placesWith(Buffer.from(text), everywhere);
    const placesOfName = find(name);
    for (const place of [
      /^conclave\.db/,
      /^POST \/meet\/v1\/join, request$/,
      /^WebSocket, received$/,
    ]) {
      expect(placesOfName).toContainEqual(expect.stringMatching(place));
    }
    expect(find("Conclave is ready")).toContain("log");
    expect(find("conclave.epoch")).toContain("data channel");
    const keys = this.#taps.flatMap((tap) => tap.keys).filter(({ kind }) => kind === "public");
    const published = placesWithAny(
      keys.map(({ bytes }) => bytes),
      everywhere,
    );
    expect(published.filter((place) => place.startsWith("POST /meet/v1/"))).not.toEqual([]);
  }

  /** Puts secrets where they must not be, and checks that the search finds them there. */
  async #expectFound(secrets: readonly Buffer[]): Promise<void> {
    const [one = Buffer.alloc(0), ...others] = secrets;
    const last = others.at(-1) ?? one;
    const description = `${one.toString("base64url")} ${last.toString("base64url")}`;
    await this.#service.call("POST", "/rooms", { name: "Planted", description });
    const [tap] = this.#taps;
    await new Promise((resolve, reject) => {
      const path = `${this.#service.url}/meet/v1/${one.toString("hex")}`;
      const { hostname, port } = new URL(tap?.proxy.server ?? "");
      const asked = request({ hostname, port, path, method: "POST" }, (answer) => {
        answer.on("end", resolve).resume();
      });
      asked.on("error", reject).end(last);
    });
    const everywhere = [...(await this.#service.places()), ...this.#passed];
    for (const secret of [one, last]) {
      const found = placesWith(secret, everywhere);
      expect(found).toContainEqual(expect.stringMatching(/^conclave\.db/));
      expect(found).toContainEqual(expect.stringMatching(/^POST \/meet\/v1\/.*, request$/));
    }
  }
}
