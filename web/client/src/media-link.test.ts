import { DisconnectReason } from "livekit-client";
import { expect, test } from "vitest";
import type { MediaConnectionEvents } from "./media-connection.js";
import { type Connection, MediaLink } from "./media-link.js";
import { Service } from "./service.js";
import type { Channel } from "./talk.js";
import { HandClock } from "./testing/hand-clock.js";
import { Mailbox } from "./testing/mailbox.js";
import type { MediaToken, Seat } from "./wire.js";

/** A token that says where it leads, and a passphrase that is the room's own. */
function token(place: string | null): MediaToken {
  return {
    server_url: "wss://meet.example.com",
    token: `token for ${place ?? "main"}`,
    e2ee_passphrase: `passphrase of ${place ?? "main"}`,
    expires_in: 600,
    breakout_id: place,
  };
}

function seatIn(place: string | null): Seat {
  return {
    identity: "guest_a.x",
    ticket: "t",
    name: "Ada",
    role: "participant",
    avatar: null,
    decision: "enter",
    redirect_url: null,
    ...token(place),
  };
}

/** A connection that goes through, is refused or ends when the test says so. */
class PlayedConnection implements Connection {
  readonly events: MediaConnectionEvents;
  readonly log: string[];
  readonly ended: Promise<DisconnectReason | undefined>;
  readonly isEncrypted = true;
  readonly soundAllowed = true;
  token = "";
  /** Refuses the next thing that is to be published. */
  isBusy = false;
  end: (reason?: DisconnectReason) => void = () => {};
  goThrough: () => void = () => {};
  refuse: () => void = () => {};
  readonly #connecting: Mailbox<PlayedConnection>;

  constructor(events: MediaConnectionEvents, log: string[], connecting: Mailbox<PlayedConnection>) {
    this.events = events;
    this.log = log;
    this.#connecting = connecting;
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  connect(credentials: MediaToken): Promise<void> {
    this.token = credentials.token;
    return new Promise((resolve, reject) => {
      this.goThrough = resolve;
      this.refuse = () => reject(new Error("moved"));
      this.#connecting.put(this);
    });
  }

  get #where(): string {
    return this.token.replace("token for ", "");
  }

  play(): void {
    this.log.push(`play ${this.#where}`);
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

type Answer = (response: Response) => void;

function setup(place: string | null = null) {
  const clock = new HandClock();
  const connecting = new Mailbox<PlayedConnection>();
  const asked = new Mailbox<Answer>();
  const entered = new Mailbox<Channel>();
  const over = new Mailbox<string>();
  const log: string[] = [];
  const phases: string[] = [];
  const service = new Service({
    baseUrl: "https://meet.example.com",
    clock,
    fetch: () => new Promise<Response>((resolve) => asked.put(resolve)),
  });
  const link = new MediaLink({
    service,
    seat: seatIn(place),
    clock,
    newConnection: (events) => new PlayedConnection(events, log, connecting),
    onPhase: (phase) => phases.push(phase),
    onEnd: (reason) => over.put(reason),
    onChange: () => {},
    onEntered: (channel) => {
      log.push(`enter ${channel.place ?? "main"}`);
      entered.put(channel);
    },
    onData: () => {},
    onMuted: () => {},
  });
  link.publish("microphone", true, null);
  link.start();
  const enter = async () => {
    const connection = await connecting.next();
    connection.goThrough();
    const channel = await entered.next();
    return { connection, channel };
  };
  const answer = async (to: string | null) => (await asked.next())(Response.json(token(to)));
  const refuse = async (status: number, code: string) =>
    (await asked.next())(Response.json({ error: { code, message: "" } }, { status }));
  return { clock, link, connecting, asked, entered, over, log, phases, enter, answer, refuse };
}

test("whoever is moved stays in the old room until the new one is there, and never in both", async () => {
  const { link, connecting, entered, log, enter, answer, phases } = setup();
  await enter();
  link.moveTo("r1");
  await answer("r1");
  const next = await connecting.next();
  expect(next.token).toBe("token for r1");
  expect(log).not.toContain("close main");
  next.goThrough();
  expect((await entered.next()).place).toBe("r1");
  expect(log).toEqual([
    ...["enter main", "publish microphone on in main", "play main"],
    ...["close main", "enter r1", "publish microphone on in r1", "play r1"],
  ]);
  expect(new Set(phases)).toEqual(new Set(["connected"]));
});

test("what could not be published is tried again, unless it is no longer wanted", async () => {
  const { link, clock, connecting, entered, log } = setup();
  const connection = await connecting.next();
  connection.isBusy = true;
  connection.goThrough();
  await entered.next();
  await clock.started();
  clock.pass(3000);
  const once = "publish microphone on in main";
  expect(log.filter((line) => line.startsWith("publish"))).toEqual([once, once]);

  connection.isBusy = true;
  link.publish("camera", true, null);
  await clock.started();
  link.publish("camera", false, null);
  clock.pass(3000);
  expect(log.slice(-2)).toEqual(["publish camera on in main", "publish camera off in main"]);
});

test("the microphone goes along as it is by then", async () => {
  const { link, connecting, entered, log, enter, answer } = setup();
  await enter();
  link.moveTo("r1");
  await answer("r1");
  const next = await connecting.next();
  link.publish("microphone", false, null);
  next.goThrough();
  await entered.next();
  expect(log.at(-2)).toBe("publish microphone off in r1");
});

test("moved again on the way: the last place wins, and the first is never entered", async () => {
  const { link, connecting, log, enter, answer } = setup();
  await enter();
  link.moveTo("r1");
  await answer("r1");
  const first = await connecting.next();
  link.moveTo("r2");
  await answer("r2");
  first.goThrough();
  const { connection, channel } = await enter();
  expect(connection.token).toBe("token for r2");
  expect(channel.place).toBe("r2");
  expect(log).toContain("close r1");
  expect(log).not.toContain("play r1");
});

test("moved back on the way: the device stays where it is, and asks for nothing", async () => {
  const { link, connecting, asked, log, enter, answer } = setup();
  const { connection } = await enter();
  link.moveTo("r1");
  await answer("r1");
  await connecting.next();
  link.moveTo(null);
  link.moveTo("r2");
  await answer("r2");
  await enter();
  expect(log.indexOf("close r1")).toBeLessThan(log.indexOf("close main"));
  expect(connection.token).toBe("token for main");
  expect(asked.isEmpty).toBe(true);
});

test("the token is ahead of the stream: it leads, and the stream's older word changes nothing", async () => {
  const { link, clock, connecting, log, enter, answer } = setup();
  await enter();
  link.moveTo("r1");
  await answer("r2");
  await enter();
  // The stream still says r1, and so the service is asked again; it stands by its word.
  await answer("r2");
  link.moveTo("r2");
  clock.pass(10_000);
  expect(connecting.isEmpty).toBe(true);
  expect(log.filter((line) => line.startsWith("play"))).toEqual(["play main", "play r2"]);
});

test("a token that was refused because the person was moved meanwhile is replaced by a fresh one", async () => {
  const { link, clock, connecting, enter, answer } = setup();
  await enter();
  link.moveTo("r1");
  await answer("r1");
  (await connecting.next()).refuse();
  const waiting = answer("r2");
  await clock.started();
  clock.pass(3000);
  await waiting;
  const { channel } = await enter();
  expect(channel.place).toBe("r2");
});

test("a room that closes under one leads on at once, wherever the next token leads", async () => {
  const { phases, enter, answer } = setup("r1");
  const { connection } = await enter();
  connection.end(DisconnectReason.ROOM_DELETED);
  await answer(null);
  const { channel } = await enter();
  expect(channel.place).toBeNull();
  expect(phases).not.toContain("reconnecting");
});

test("whoever is sent out of the wrong room before the move is through goes on with it", async () => {
  const { link, connecting, entered, log, enter, answer } = setup();
  const { connection } = await enter();
  link.moveTo("r1");
  await answer("r1");
  const next = await connecting.next();
  connection.end(DisconnectReason.PARTICIPANT_REMOVED);
  next.goThrough();
  expect((await entered.next()).place).toBe("r1");
  expect(log.filter((line) => line === "play r1")).toHaveLength(1);
});

test("the network is lost while moving: the new room is tried again when it is back", async () => {
  const { link, clock, connecting, phases, enter, answer, asked } = setup();
  const { connection } = await enter();
  link.moveTo("r1");
  await answer("r1");
  const next = await connecting.next();
  connection.end();
  next.refuse();
  const fail = asked.next();
  await clock.started();
  clock.pass(3000);
  (await fail)(new Response("", { status: 502 }));
  const again = answer("r1");
  await clock.started();
  link.hurry();
  await again;
  const { channel } = await enter();
  expect(channel.place).toBe("r1");
  expect(phases.at(-1)).toBe("connected");
  expect(phases).toContain("reconnecting");
});

test("a move to where the device is already changes nothing", async () => {
  const { link, asked, log, enter } = setup("r1");
  await enter();
  link.moveTo("r1");
  link.moveTo(null);
  await asked.next();
  expect(log).not.toContain("close r1");
});

test("what was sealed for one room is not sent to another", async () => {
  const { link, log, enter, answer } = setup();
  const { channel: before } = await enter();
  link.moveTo("r1");
  await answer("r1");
  const { channel } = await enter();
  await expect(link.send(before, "chat", new Uint8Array())).rejects.toThrow("not connected");
  await link.send(channel, "chat", new Uint8Array());
  expect(log.filter((line) => line.startsWith("send"))).toEqual(["send chat to r1"]);
});

test("somebody who was removed from the meeting is told so, once no token is to be had", async () => {
  const { clock, over, enter, refuse } = setup("r1");
  const { connection } = await enter();
  connection.end(DisconnectReason.PARTICIPANT_REMOVED);
  await refuse(401, "ticket_invalid");
  await clock.started(2);
  clock.pass(1500);
  expect(await over.next()).toBe("removed");
});

test("the same seat in another window ends the meeting in this one", async () => {
  const { over, enter } = setup("r1");
  const { connection } = await enter();
  connection.end(DisconnectReason.DUPLICATE_IDENTITY);
  expect(await over.next()).toBe("elsewhere");
});

test("leaving on the way gives up what was being connected", async () => {
  const { link, connecting, log, enter, answer } = setup();
  await enter();
  link.moveTo("r1");
  await answer("r1");
  const next = await connecting.next();
  link.close();
  await next.ended;
  expect(log).toContain("close main");
  expect(log).not.toContain("enter r1");
});
