import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { Room, ServiceUnderTest } from "./service";

const binary = process.env["CROWD_BIN"] ?? new URL("../../bin/crowd", import.meta.url).pathname;

/** The report of one person in the crowd. It names the others by their identities. */
export interface CrowdReport {
  readonly name: string;
  /** The breakout's id; empty in the main room. */
  readonly place: string;
  readonly with: readonly string[];
  readonly hears: readonly string[];
  readonly sees: readonly string[];
  readonly undecryptable: number;
  readonly trouble: string;
}

/** A seat in a meeting, as the meeting protocol gives it. */
export interface CrowdSeat {
  readonly name: string;
  readonly server_url: string;
  readonly token: string;
}

/** People without a browser who send and decrypt real sound and pictures; see crowd/main.go. */
export class Crowd {
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lines: Interface;
  #waiting: ((line: string) => void)[] = [];
  #complaint = "";

  private constructor() {
    this.#process = spawn(binary, { stdio: "pipe" });
    this.#lines = createInterface(this.#process.stdout);
    this.#lines.on("line", (line) => this.#waiting.shift()?.(line));
    this.#process.stderr.on("data", (chunk: Buffer) => {
      this.#complaint += chunk.toString();
    });
  }

  static async enter(service: ServiceUnderTest, room: Room, ...names: string[]): Promise<Crowd> {
    const people = await Promise.all(
      names.map(async (name) => ({
        name,
        token: await service.call("POST", `/rooms/${room.id}/tokens`, { name, user_id: name }),
      })),
    );
    return Crowd.#in({ service: service.url, people });
  }

  /** Devices that are in the media room of their seats, and neither send nor receive anything. */
  static hold(seats: readonly CrowdSeat[]): Promise<Crowd> {
    return Crowd.#in({ seats });
  }

  static async #in(order: object): Promise<Crowd> {
    const crowd = new Crowd();
    await crowd.#ask(JSON.stringify(order));
    return crowd;
  }

  async reports(): Promise<readonly CrowdReport[]> {
    return JSON.parse(await this.#ask("how is everybody?")) as CrowdReport[];
  }

  /** They leave, like people who close their browsers. */
  async disperse(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.stdin.end();
    await ended;
  }

  #ask(line: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null) =>
        reject(new Error(`the crowd ended with ${code}: ${this.#complaint}`));
      this.#process.once("exit", ended);
      this.#process.once("error", reject); // `make test-browser` builds it
      this.#waiting.push((answer) => {
        this.#process.off("exit", ended);
        this.#process.off("error", reject);
        resolve(answer);
      });
      this.#process.stdin.write(`${line}\n`);
    });
  }
}
