import { expect, test } from "vitest";
import type { Clock } from "./clock.js";
import { Service, type ServiceError } from "./service.js";

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A service that gives these answers, one after the other, and then repeats the last one. */
function answering(...answers: [Answer, ...Answer[]]) {
  const last = answers.at(-1) ?? answers[0];
  const asked: string[] = [];
  const pauses: number[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    asked.push(String(input));
    const { status, body } = answers[asked.length - 1] ?? last;
    return new Response(JSON.stringify(body), { status });
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
  const refused = service.lookUp("abc", null, null);
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
    expect(await service.lookUp("abc", null, null)).toEqual(door.body);
    expect(asked).toHaveLength(3);
    expect(pauses).toEqual([250, 500]);
  }
  const { service, asked } = answering(refusal(500, "internal_error"));
  const error = await service.recordingDevices("ticket").catch((error: ServiceError) => error);
  expect(error).toMatchObject({ status: 500, requestId: "req_1" });
  expect(asked).toHaveLength(3);
});

test("a request that changes something is sent once", async () => {
  const { service, asked } = answering(refusal(503, "service_unavailable"));
  await expect(service.deletePoll("ticket", "p")).rejects.toMatchObject({ status: 503 });
  expect(asked).toHaveLength(1);
});
