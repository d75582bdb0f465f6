import { expect, test } from "vitest";
import type { Clock } from "./clock.js";
import { Service } from "./service.js";
import type { ServiceError } from "./service-error.js";

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

const door = { status: 200, body: { name: "Weekly" } };

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
    const { service, asked, pauses } = answering(busy, busy, door);
    expect(await service.lookUp({ code: "abc", joinSecret: null, browser: null }, null)).toEqual(
      door.body,
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
  const { service, pauses } = answering(busy, busy, door);
  expect(await service.lookUp({ code: "abc", joinSecret: null, browser: null }, null)).toEqual(
    door.body,
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
    const { service, pauses } = answering(busy, door);
    await service.lookUp({ code: "abc", joinSecret: null, browser: null }, null);
    expect(pauses).toEqual([250]);
  },
);

test("only answers that say that the service is busy make a request wait longer", async () => {
  const failed = { ...refusal(500, "internal_error"), headers: { "Retry-After": "4" } };
  const { service, pauses } = answering(failed, door);
  await service.lookUp({ code: "abc", joinSecret: null, browser: null }, null);
  expect(pauses).toEqual([250]);
});

test("a request that changes something is sent once", async () => {
  const { service, asked } = answering(refusal(503, "service_unavailable"));
  await expect(service.deletePoll("ticket", "p")).rejects.toMatchObject({ status: 503 });
  expect(asked).toHaveLength(1);
});
