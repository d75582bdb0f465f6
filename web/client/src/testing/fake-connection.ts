import type { DisconnectReason } from "livekit-client";
import type { MediaConnectionEvents } from "../media-connection-options.js";
import type { Connection } from "../media-link-options.js";
import type { MediaToken } from "../wire.js";
import type { Mailbox } from "./mailbox.js";

/** A fake connection that succeeds, is refused or ends when the test says so. */
export class FakeConnection implements Connection {
  readonly events: MediaConnectionEvents;
  readonly log: string[];
  readonly ended: Promise<DisconnectReason | undefined>;
  readonly isEncrypted = true;
  readonly soundAllowed = true;
  token = "";
  patience = 0;
  /** The first picture of somebody else; null if there is none to wait for. */
  picture: Promise<void> | null = null;
  /** Refuses the next track that is published. */
  isBusy = false;
  end: (reason?: DisconnectReason) => void = () => {};
  goThrough: () => void = () => {};
  refuse: (why?: Error) => void = () => {};
  readonly #connecting: Mailbox<FakeConnection>;

  constructor(events: MediaConnectionEvents, log: string[], connecting: Mailbox<FakeConnection>) {
    this.events = events;
    this.log = log;
    this.#connecting = connecting;
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  connect(credentials: MediaToken, patience: number): Promise<void> {
    this.token = credentials.token;
    this.patience = patience;
    return new Promise((resolve, reject) => {
      this.goThrough = resolve;
      this.refuse = (why = new Error("moved")) => reject(why);
      this.#connecting.put(this);
    });
  }

  get #where(): string {
    return this.token.replace("token for ", "");
  }

  firstPicture(): Promise<void> | null {
    return this.picture;
  }

  begin(): void {
    this.log.push(`begin ${this.#where}`);
  }

  close(): void {
    this.log.push(`close ${this.#where}`);
    this.end();
  }

  publish(source: string, on: boolean): Promise<void> {
    this.log.push(`publish ${source} ${on ? "on" : "off"} in ${this.#where}`);
    if (!this.isBusy) return Promise.resolve();
    this.isBusy = false;
    return Promise.reject(new Error("busy"));
  }

  people() {
    return new Map();
  }

  recordable() {
    return new Map();
  }

  path() {
    return Promise.resolve("udp" as const);
  }

  local() {
    return { speaking: false, quality: "good" } as const;
  }

  send(topic: string): Promise<void> {
    this.log.push(`send ${topic} to ${this.#where}`);
    return Promise.resolve();
  }

  startSound(): Promise<void> {
    return Promise.resolve();
  }

  setSpeaker(): Promise<void> {
    return Promise.resolve();
  }
}
