import { afterEach, expect, test, vi } from "vitest";
import type { Clock } from "./clock.js";
import { HandClock } from "./testing/hand-clock.js";
import { WaitingRoom, type WaitingState } from "./waiting-room.js";
import type { RoomInfo, WaitingSeat } from "./wire.js";

const seat: WaitingSeat = {
  identity: "guest_a.x",
  ticket: "t",
  name: "Ada",
  role: "participant",
  avatar: null,
  decision: "wait_for_host",
  redirect_url: null,
};

const token = {
  server_url: "wss://meet.example.com",
  token: "m",
  e2ee_passphrase: "p",
  expires_in: 600,
};

const room = { name: "Planning" } as RoomInfo;

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Pauses take no time. */
const hurried: Clock = {
  now: () => 0,
  random: () => 0.5,
  after: (milliseconds, callback) => {
    if (milliseconds < 10_000) queueMicrotask(callback);
    return () => {};
  },
};

/** A request on a dead line. */
function untilAborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(new Error("aborted")));
  });
}

/** A fake service: the test sends its events, and gives the answers to `token` in their order. */
function setup(clock: Clock, ...tokens: readonly (Response | "never")[]) {
  const answers = [...tokens];
  const asked: string[] = [];
  let say: (text: string) => void = () => {};
  const opened = new Promise<void>((resolve) => {
    say = () => resolve();
  });
  let writer: ReadableStreamDefaultController<Uint8Array> | null = null;
  let isForgotten = false;
  const forget = () => {
    isForgotten = true;
  };
  const fakeFetch: typeof fetch = async (input, init) => {
    const path = new URL(String(input)).pathname.replace("/meet/v1/", "");
    asked.push(path);
    if (path !== "events") {
      const answer = answers.shift() ?? new Response("{}");
      return answer === "never" ? untilAborted(init?.signal) : answer;
    }
    if (isForgotten) return refusal(401, "ticket_invalid");
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        writer = controller;
        init?.signal?.addEventListener("abort", () => controller.error(new Error("aborted")));
        say("");
      },
    });
    return new Response(body);
  };
  const waiting = new WaitingRoom({
    baseUrl: "https://meet.example.com",
    seat,
    room,
    fetch: fakeFetch,
    clock,
  });
  const tell = async (event: string, data: object) => {
    await opened;
    const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    writer?.enqueue(new TextEncoder().encode(text));
  };
  const next = () =>
    new Promise<WaitingState>((resolve) => {
      const stop = waiting.state.subscribe(() => {
        stop();
        resolve(waiting.state.get());
      });
    });
  return { waiting, tell, next, asked, forget };
}

const refusal = (status: number, code: string) =>
  new Response(JSON.stringify({ error: { code, message: "" } }), { status });

test("a person who waited for a host may have to knock then, and goes in when admitted", async () => {
  const { waiting, tell, next, asked } = setup(hurried, refusal(503, "busy"), Response.json(token));
  expect(waiting.state.get()).toEqual({ kind: "waiting", decision: "wait_for_host" });
  let change = next();
  await tell("door", { decision: "knock", since: "2026-01-01T12:00:00.000Z" });
  expect(await change).toEqual({ kind: "waiting", decision: "knock" });
  change = next();
  await tell("door", { decision: "enter", since: null });
  expect(await change).toEqual({
    kind: "admitted",
    seat: { ...seat, ...token, decision: "enter" },
  });
  expect(asked).toEqual(["events", "token", "token"]);
});

test("a person who is admitted on a dead line asks again, and goes in once it works", async () => {
  const clock = new HandClock();
  const { tell, next, asked } = setup(clock, "never", Response.json(token));
  const change = next();
  await tell("door", { decision: "enter", since: null });
  await clock.started(1, 10_000);
  await vi.waitFor(() => expect(asked).toEqual(["events", "token"]));
  clock.pass(10_000);
  await clock.started(1, 250);
  clock.pass(250);
  expect(await change).toMatchObject({ kind: "admitted" });
});

test("a refusal at the last moment is not taken for an admission", async () => {
  const { tell, next } = setup(hurried, refusal(409, "room_locked"));
  const change = next();
  await tell("door", { decision: "enter", since: null });
  expect(await change).toEqual({ kind: "over", reason: "lost" });
});

test("a denial ends the waiting, and no request follows", async () => {
  const { tell, next, waiting, asked } = setup(hurried);
  const change = next();
  await tell("end", { reason: "denied" });
  expect(await change).toEqual({ kind: "over", reason: "denied" });
  await waiting.leave();
  expect(asked).toEqual(["events"]);
});

test("a person who stops waiting tells the service", async () => {
  const { waiting, asked } = setup(hurried);
  await waiting.leave();
  expect(waiting.state.get()).toEqual({ kind: "over", reason: "left" });
  expect(asked).toContain("leave");
});

test.each([
  ["lost", 59],
  ["expired", 61],
])(
  "a place that is gone when the device wakes up is %s after %i minutes",
  async (reason, minutes) => {
    const page = new EventTarget();
    vi.stubGlobal("window", page);
    let now = 0;
    const { tell, next, forget } = setup({ ...hurried, now: () => now });
    await tell("room", room);
    const change = next();
    forget();
    now = minutes * 60_000;
    page.dispatchEvent(new Event("online"));
    expect(await change).toEqual({ kind: "over", reason });
  },
);

test.each([
  ["the network is back", "window", "online"],
  ["the page is seen again after a long time", "document", "visibilitychange"],
])("when %s, a person who waits follows another stream", async (_, owner, sign) => {
  const page = Object.assign(new EventTarget(), { visibilityState: "visible" });
  vi.stubGlobal(owner, page);
  let now = 0;
  const { waiting, tell, next, asked } = setup({ ...hurried, now: () => now });
  await tell("room", room);
  now = 60_000;
  page.dispatchEvent(new Event(sign));
  await vi.waitFor(() => expect(asked).toEqual(["events", "events"]));
  const change = next();
  await tell("door", { decision: "knock", since: null });
  expect(await change).toEqual({ kind: "waiting", decision: "knock" });
  await waiting.leave();
  page.dispatchEvent(new Event(sign));
  expect(asked).toEqual(["events", "events", "leave"]);
});
