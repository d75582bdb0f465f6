import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Place, placesWith } from "./secret-search";
import { certificateIn } from "./tls-end";

/** With "0", Node trusts every certificate. */
const trust = "NODE_TLS_REJECT_UNAUTHORIZED";

const defaultBinary =
  process.env["CONCLAVE_BIN"] ?? new URL("../../bin/conclave", import.meta.url).pathname;

/** The real binary, with its own ports and directory, and its API. */
export class ServiceUnderTest {
  readonly url: string;
  /** The address to which lines connect. */
  readonly ports: { readonly http: number; readonly media: number };
  /** The program that it runs. */
  readonly binary: string;
  readonly #args: readonly string[];
  readonly #directory: string;
  #process: ChildProcess | null = null;
  #mediaProcess = 0;
  #key = "";
  /** What the service has printed since it was started the first time. */
  #log = "";

  private constructor(
    url: string,
    ports: { http: number; media: number },
    binary: string,
    args: readonly string[],
    directory: string,
  ) {
    this.ports = ports;
    this.url = url;
    this.binary = binary;
    this.#args = args;
    this.#directory = directory;
  }

  /** Starts with further settings, which may depend on the address; `binary` is another build. */
  static async start(
    settings: (url: string) => Promise<readonly string[]> = async () => [],
    binary = defaultBinary,
  ): Promise<ServiceUnderTest> {
    const http = await freePort();
    const url = `http://localhost:${http}`;
    return ServiceUnderTest.#begin(url, `127.0.0.1:${http}`, () => settings(url), binary);
  }

  /** Starts one in which TLS ends, at an IPv4 address of this machine. */
  static async startWithTls(
    host: string,
    settings: readonly string[] = [],
    binary = defaultBinary,
  ): Promise<ServiceUnderTest> {
    process.env[trust] = "0"; // nobody knows who made the certificate
    const at = `${host}:${await freePort()}`;
    const all = async (directory: string) => [...(await certificateIn(directory)), ...settings];
    return ServiceUnderTest.#begin(`https://${at}`, at, all, binary);
  }

  static async #begin(
    url: string,
    listen: string,
    settings: (directory: string) => Promise<readonly string[]>,
    binary: string,
  ): Promise<ServiceUnderTest> {
    const directory = await mkdtemp(join(tmpdir(), "conclave-e2e-"));
    const media = await freePort("udp");
    const service = new ServiceUnderTest(
      url,
      { http: Number(new URL(url).port), media },
      binary,
      [
        ...["dev", "--listen", listen, "--public-url", url, "--data", directory],
        ...["--media-udp-port", String(media), "--media-tcp-port", "0", "--rate-limits", "off"],
        ...(await settings(directory)),
      ],
      directory,
    );
    await service.up();
    return service;
  }

  /** Starts the process and waits until it says that it is ready. */
  async up(): Promise<void> {
    const child = spawn(this.binary, this.#args, { stdio: ["ignore", "pipe", "pipe"] });
    this.#process = child;
    let output = "";
    await new Promise<void>((resolve, reject) => {
      const read = (chunk: Buffer) => {
        output += chunk.toString();
        this.#log += chunk.toString();
        const key = /API key\s+(svc_\S+)/.exec(output)?.[1];
        if (key) this.#key = key;
        const [, id] = /the media server runs" process=(\d+)/.exec(chunk.toString()) ?? [];
        if (id) this.#mediaProcess = Number(id);
        if (key && output.includes("Conclave is ready")) resolve();
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.on("exit", (code) => reject(new Error(`conclave ended with ${code}:\n${output}`)));
    });
  }

  /** Kills the process, as a power cut would. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Ends it as a service manager does, and starts it again. */
  async restart(): Promise<void> {
    await this.#end("SIGTERM");
    await this.up();
  }

  /** Stops both processes where they are, as a machine that hangs. Killing ends them nevertheless. */
  freeze(): void {
    for (const id of [this.#mediaProcess, this.#process?.pid ?? 0]) process.kill(id, "SIGSTOP");
  }

  /** Kills only the media server, which is a process of its own. The service starts another one. */
  killMediaServer(): void {
    process.kill(this.#mediaProcess, "SIGKILL");
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM");
    delete process.env[trust]; // the next file runs in this process, too
    await rm(this.#directory, { recursive: true, force: true });
  }

  /**
   * Where the service keeps a secret readably, as bytes or in the common spellings: names of files of
   * its data directory, the database among them, and "log".
   */
  async placesOf(secret: Buffer): Promise<readonly string[]> {
    return placesWith(secret, await this.places());
  }

  /** What the service keeps: the files of its data directory, and its log. */
  async places(): Promise<readonly Place[]> {
    const files = await readdir(this.#directory, { recursive: true, withFileTypes: true });
    const places = files
      .filter((file) => file.isFile())
      .map(async ({ name, parentPath }) => ({
        name,
        content: await readFile(join(parentPath, name)),
      }));
    return [...(await Promise.all(places)), { name: "log", content: Buffer.from(this.#log) }];
  }

  /** A key of the API with every scope. */
  get key(): string {
    return this.#key;
  }

  async call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.#key}`, "Content-Type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`);
    return JSON.parse(answer) as T;
  }

  /** Fetches a body that is not JSON, by its full address. */
  async bytes(url: string): Promise<Buffer> {
    const response = await fetch(url, { headers: { Authorization: `Bearer ${this.#key}` } });
    if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
    return Buffer.from(await response.arrayBuffer());
  }

  /** Runs a command of the same binary on the same data, and reads the JSON it prints. */
  async administrate<T>(...command: readonly string[]): Promise<T> {
    const where = ["--data", this.#directory, "--public-url", this.url, "--json"];
    const { stdout } = await promisify(execFile)(this.binary, [...command, ...where]);
    return JSON.parse(stdout) as T;
  }

  /** Adds a person to the workspace of the rooms; returns the link of their invitation. */
  async inviteMember(email: string, role = "member"): Promise<string> {
    const { data } = await this.administrate<{ data: { id: string; personal: boolean }[] }>(
      ...["workspaces", "list"],
    );
    const workspace = data.find(({ personal }) => !personal)?.id ?? "";
    const member = await this.administrate<{ invitation_url: string }>(
      ...["members", "add", "--workspace", workspace, "--email", email, "--role", role],
    );
    return member.invitation_url;
  }

  /** Adds a person as `inviteMember` does, and accepts the invitation. */
  async addMember(email: string, name: string, role: string, password: string): Promise<void> {
    const link = await this.inviteMember(email, role);
    const response = await fetch(`${this.url}/account/v1/invitations/accept`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ secret: new URL(link).hash.slice(1), name, password }),
    });
    if (!response.ok) throw new Error(`accept an invitation: ${await response.text()}`);
  }

  makeRoom(settings: object = {}): Promise<Room> {
    return this.call("POST", "/rooms", { name: "Planning", settings });
  }

  /** Webinars are not made through the API, but by an operator with the command line. */
  async makeWebinar(...more: readonly string[]): Promise<Room> {
    const [known] = (await this.call<{ data: Room[] }>("GET", "/rooms?limit=1")).data;
    const { workspace_id } = known ?? (await this.makeRoom());
    const { stdout } = await promisify(execFile)(this.binary, [
      ...["rooms", "create", "--workspace", workspace_id, "--name", "Town hall"],
      ...["--type", "webinar", "--data", this.#directory, "--json", ...more],
    ]);
    // The command does not know the service's address, so ask the service.
    return this.room(JSON.parse(stdout) as Room);
  }

  /** Makes a person's join link. */
  async invite(room: Room, name: string, role: "host" | "participant"): Promise<string> {
    const body = { name, role };
    return (await this.call<{ url: string }>("POST", `/rooms/${room.id}/join-links`, body)).url;
  }

  room({ id }: Room): Promise<Room> {
    return this.call("GET", `/rooms/${id}`);
  }

  /** The types of a room's events, oldest first, each with its reason if it has one. */
  async happened(room: Room): Promise<readonly string[]> {
    const { data } = await this.call<{ data: Happened[] }>("GET", "/events?limit=100");
    return data
      .filter((event) => event.data.room?.id === room.id)
      .map(({ type, data: { reason } }) => (reason ? `${type} ${reason}` : type))
      .reverse();
  }

  async participants(room: Room): Promise<readonly Participant[]> {
    const list = await this.call<{ data: Participant[] }>("GET", `/rooms/${room.id}/participants`);
    return list.data;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => {
      child.removeAllListeners("exit");
      child.on("exit", resolve);
    });
    child.kill(signal);
    await ended;
  }
}

export interface Room {
  readonly id: string;
  readonly workspace_id: string;
  readonly name: string;
  readonly code: string;
  readonly url: string;
  readonly locked: boolean;
  readonly settings: Record<string, unknown>;
}

interface Happened {
  readonly type: string;
  readonly data: { readonly room?: { readonly id: string }; readonly reason?: string };
}

export interface Participant {
  readonly identity: string;
  readonly name: string;
  readonly role: string;
  readonly audio_muted: boolean;
  readonly video_muted: boolean;
  readonly screen_sharing: boolean;
  readonly hand_raised: boolean;
}

/**
 * A free port outside the range from which the system picks ports by itself, so that it is still
 * free when the service opens it.
 */
export async function freePort(protocol: "tcp" | "udp" = "tcp"): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const port = randomInt(16_384, 32_768);
    if (await isFree(port, protocol)) return port;
  }
  throw new Error("no free port");
}

function isFree(port: number, protocol: "tcp" | "udp"): Promise<boolean> {
  return new Promise((resolve) => {
    if (protocol === "udp") {
      const socket = createSocket("udp4");
      socket.once("error", () => resolve(false));
      socket.bind(port, () => socket.close(() => resolve(true)));
      return;
    }
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
