import { expect, test } from "vitest";
import type { Clock } from "./clock.js";
import { requestPatience, Service } from "./service.js";
import type { ServiceError } from "./service-error.js";
import { HandClock } from "./testing/hand-clock.js";

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

/** A service that gives these answers, one after the other, and then repeats the last one. */
function answering(...answers: [Answer, ...Answer[]]) {
  const last = answers.at(-1) ?? answers[0];
  const asked: string[] = [];
  const pauses: number[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    asked.push(String(input));
    const { status, body, headers = {} } = answers[asked.length - 1] ?? last;
    return new Response(JSON.stringify(body), { status, headers });
  };
  const clock: Clock = {
    now: () => 0,
    random: () => 0.5,
    after: (milliseconds, callback) => {
      if (milliseconds === requestPatience) return () => {}; // every request is answered in time
      pauses.push(milliseconds);
      queueMicrotask(callback);
      return () => {};
    },
  };
  const service = new Service({ baseUrl: "https://meet.example.com/", fetch, clock });
  return { service, asked, pauses };
}

function refusal(status: number, code: string) {
  return { status, body: { error: { code, message: "No.", request_id: "req_1" } } };
}

const lookUp = { status: 200, body: { name: "Weekly" } };

test("a refusal has a status, a code, a message and the id of the request", async () => {
  const { service, asked } = answering(refusal(404, "not_found"));
  const refused = service.lookUp({ code: "abc", joinSecret: null, browser: null }, null);
  await expect(refused).rejects.toMatchObject({
    name: "ServiceError",
    status: 404,
    code: "not_found",
    message: "No.",
    requestId: "req_1",
  });
  expect(asked).toEqual(["https://meet.example.com/meet/v1/look-up"]);
});

test("a request that changes nothing is sent again when the service is busy", async () => {
  for (const busy of [refusal(429, "rate_limited"), refusal(503, "service_unavailable")]) {
    const { service, asked, pauses } = answering(busy, busy, lookUp);
    expect(await service.lookUp({ code: "abc", joinSecret: null, browser: null }, null)).toEqual(
      lookUp.body,
    );
    expect(asked).toHaveLength(3);
    expect(pauses).toEqual([250, 500]);
  }
  const { service, asked } = answering(refusal(500, "internal_error"));
  const error = await service.recordingDevices("ticket").catch((error: ServiceError) => error);
  expect(error).toMatchObject({ status: 500, requestId: "req_1" });
  expect(asked).toHaveLength(3);
});

test.each([429, 503])("a request waits as long as an answer %i asks for", async (status) => {
  const busy = { ...refusal(status, "busy"), headers: { "Retry-After": "1" } };
  const { service, pauses } = answering(busy, busy, lookUp);
  expect(await service.lookUp({ code: "abc", joinSecret: null, browser: null }, null)).toEqual(
    lookUp.body,
  );
  expect(pauses).toEqual([1250, 1500]);
});

test("a request waits at most five seconds longer than usual, since somebody looks on", async () => {
  const busy = { ...refusal(429, "rate_limited"), headers: { "Retry-After": "3600" } };
  const { service, pauses } = answering(busy);
  await expect(
    service.lookUp({ code: "abc", joinSecret: null, browser: null }, null),
  ).rejects.toMatchObject({ retryAfter: 3600 });
  expect(pauses).toEqual([5250, 5500]);
});

test.each(["soon", "-5", "1.5", "Wed, 21 Oct 2026 07:28:00 GMT"])(
  "a request does not read %s as a number of seconds",
  async (said) => {
    const busy = { ...refusal(503, "service_unavailable"), headers: { "Retry-After": said } };
    const { service, pauses } = answering(busy, lookUp);
    await service.lookUp({ code: "abc", joinSecret: null, browser: null }, null);
    expect(pauses).toEqual([250]);
  },
);

test("only answers that say that the service is busy make a request wait longer", async () => {
  const failed = { ...refusal(500, "internal_error"), headers: { "Retry-After": "4" } };
  const { service, pauses } = answering(failed, lookUp);
  await service.lookUp({ code: "abc", joinSecret: null, browser: null }, null);
  expect(pauses).toEqual([250]);
});

test("a request that changes something is sent once", async () => {
  const { service, asked } = answering(refusal(503, "service_unavailable"));
  await expect(service.deletePoll("ticket", "p")).rejects.toMatchObject({ status: 503 });
  expect(asked).toHaveLength(1);
});

/** A service behind a dead line: either nothing of an answer comes, or it stops in the middle. */
function behindDeadLine(isBegun: boolean) {
  const clock = new HandClock();
  const signals: AbortSignal[] = [];
  const fetch: typeof globalThis.fetch = (_, init) =>
    new Promise((resolve, reject) => {
      const signal = init?.signal ?? new AbortController().signal;
      signals.push(signal);
      const cut = (give: (reason: unknown) => void) =>
        signal.addEventListener("abort", () => give(signal.reason));
      if (!isBegun) return cut(reject);
      const body = new ReadableStream({ start: (stream) => cut((reason) => stream.error(reason)) });
      resolve(new Response(body));
    });
  return {
    service: new Service({ baseUrl: "https://meet.example.com", fetch, clock }),
    clock,
    signals,
  };
}

const visit = { code: "abc", joinSecret: null, browser: null };
const requests: [string, (service: Service) => Promise<unknown>][] = [
  ["a change of the room", (service) => service.changeRoom("ticket", { locked: true })],
  ["a look-up of a room", (service) => service.lookUp(visit, null)],
  ["the list of devices", (service) => service.recordingDevices("ticket")],
  // A join that still waits on the service gives no seat once it is given up.
  ["a join", (service) => service.join(visit, { name: "Ada", avatar: null }, null)],
];

test.each(requests)("%s is given up when no answer comes", async (_, ask) => {
  for (const isBegun of [false, true]) {
    const { service, clock, signals } = behindDeadLine(isBegun);
    const asked = ask(service).catch((error: ServiceError) => error);
    await clock.started(1, requestPatience);
    clock.pass(requestPatience - 1);
    expect(signals[0]?.aborted).toBe(false);
    clock.pass(1);
    expect(await asked).toMatchObject({ status: 0, code: "network" });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  }
});

test("the event stream, and a request with a limit of its caller, have no other limit", () => {
  const { service, clock, signals } = behindDeadLine(false);
  const { signal } = new AbortController();
  void service.events("ticket", "", signal);
  void service.mediaToken("ticket", signal);
  clock.pass(requestPatience);
  expect(signals).toEqual([signal, signal]);
  expect(signals.some(({ aborted }) => aborted)).toBe(false);
});
