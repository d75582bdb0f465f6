import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = (command: string, ...args: string[]) => promisify(execFile)(command, args);

const distance = new URL("../../bin/distance", import.meta.url).pathname;

/** Addresses for examples (RFC 5737, RFC 3849): ours, and that of the other network. */
export const addresses = {
  4: { ours: "198.51.100.1", theirs: "198.51.100.2", prefix: 30 },
  6: { ours: "2001:db8:1::1", theirs: "2001:db8:1::2", prefix: 64 },
} as const;

/**
 * Another network: a network namespace, joined to this machine by a cable. A browser in it has no
 * other way than that cable.
 */
export class Namespace {
  static readonly #made = new Set<string>();
  readonly #name: string;
  readonly #directory: string;
  #distance: ChildProcess | null = null;

  private constructor(name: string, directory: string) {
    this.#name = name;
    this.#directory = directory;
  }

  /** What this machine lacks for networks of their own; null if it has everything. */
  static async lack(): Promise<string | null> {
    if (process.getuid?.() !== 0) return "root";
    for (const [program, ...more] of [
      ["ip", "-V"],
      ["nft", "--version"],
    ] as const) {
      const isThere = await run(program, ...more).then(
        () => true,
        () => false,
      );
      if (!isThere) return program;
    }
    return null;
  }

  /**
   * Makes a network, so far away that a packet and its answer take `roundTrip` milliseconds.
   */
  static async make(version: 4 | 6, roundTrip = 0): Promise<Namespace> {
    const name = `cv-${randomBytes(4).toString("hex")}`;
    const directory = await mkdtemp(join(tmpdir(), "conclave-net-"));
    await Namespace.#removeLeftovers();
    Namespace.#made.add(name);
    await run("ip", "netns", "add", name);
    const namespace = new Namespace(name, directory);
    try {
      await namespace.#connect(version, roundTrip);
    } catch (error) {
      await namespace.remove();
      throw error;
    }
    return namespace;
  }

  async #connect(version: 4 | 6, roundTrip: number): Promise<void> {
    const { ours, theirs, prefix } = addresses[version];
    // Names of network devices have at most fifteen letters.
    const cable = this.#name;
    if (roundTrip === 0) {
      await run("ip", "link", "add", cable, "type", "veth", "peer", "cable", "netns", this.#name);
    } else {
      await this.#bridge(cable, roundTrip / 2);
    }
    // Without "nodad" an IPv6 address is usable only after a check that nobody else has it. The
    // browser would begin anew when another address becomes usable.
    const rest = version === 6 ? ["nodad"] : [];
    const setting = version === 6 ? "accept_dad=0" : "disable_ipv6=1";
    await this.#inside("sysctl", "-qw", `net.ipv6.conf.cable.${setting}`);
    await run("ip", "address", "add", `${ours}/${prefix}`, "dev", cable, ...rest);
    await run("ip", "link", "set", cable, "up");
    const address = ["address", "add", `${theirs}/${prefix}`, "dev", "cable", ...rest];
    await run("ip", "-n", this.#name, ...address);
    await run("ip", "-n", this.#name, "link", "set", "cable", "up");
    await run("ip", "-n", this.#name, "link", "set", "lo", "up");
    // A browser uses the address of the default route as its own.
    await run("ip", "-n", this.#name, `-${version}`, "route", "add", "default", "via", ours);
  }

  /** Makes the two ends of the cable with a program that delays packets; see distance/main.go. */
  async #bridge(cable: string, delay: number): Promise<void> {
    const ends = ["-name", cable, "-namespace", this.#name, "-peer", "cable"];
    const program = spawn(distance, [...ends, "-delay", `${delay}ms`], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#distance = program;
    await Promise.race([
      once(program.stdout, "data"), // "ready"
      once(program, "exit").then(([status]) => {
        throw new Error(`bin/distance ended with status ${status}`);
      }),
    ]);
  }

  /** Lets only packets out for which a rule of nft holds, besides those that networks need. */
  async onlyLetsOut(...rules: string[]): Promise<void> {
    const policy = "{ type filter hook output priority 0; policy drop; }";
    const commands = [
      "add table inet test",
      `add chain inet test out ${policy}`,
      "add rule inet test out oifname lo accept",
      "add rule inet test out meta l4proto { icmp, ipv6-icmp } accept",
      ...rules.map((rule) => `add rule inet test out ${rule} accept`),
    ];
    await this.#inside("nft", commands.join("; "));
  }

  /** Runs a program inside, and returns what it prints, also when it ends with a failure. */
  async output(...command: string[]): Promise<string> {
    try {
      return (await run("ip", "netns", "exec", this.#name, ...command)).stdout;
    } catch (error) {
      if (error instanceof Error && "stdout" in error && error.stdout) return String(error.stdout);
      throw error;
    }
  }

  async #inside(...command: string[]): Promise<void> {
    await run("ip", "netns", "exec", this.#name, ...command);
  }

  /**
   * A program that starts the browser inside: the whole one, because the one without windows finds
   * no addresses of IPv6 for media.
   */
  async browser(): Promise<string> {
    const path = join(this.#directory, "browser");
    await writeFile(path, `#!/bin/sh\nexec ip netns exec ${this.#name} /usr/bin/chromium "$@"\n`);
    await chmod(path, 0o755);
    return path;
  }

  async remove(): Promise<void> {
    Namespace.#made.delete(this.#name);
    this.#distance?.stdin?.end();
    await run("ip", "netns", "del", this.#name);
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** Removes the networks of a run that was killed, which have the same addresses. */
  static async #removeLeftovers(): Promise<void> {
    const { stdout } = await run("ip", "netns", "list");
    for (const [name] of stdout.matchAll(/^cv-[0-9a-f]{8}\b/gm))
      if (!Namespace.#made.has(name)) await run("ip", "netns", "del", name);
  }
}

/** Steps that undo what a test has set up. */
export type Undo = (() => unknown)[];

/** Runs every step, the last one first, even after one fails. Then throws the first failure. */
export async function undoAll(undo: Undo): Promise<void> {
  const failures: unknown[] = [];
  for (const step of undo.reverse()) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
