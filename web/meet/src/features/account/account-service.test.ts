import { afterEach, expect, test, vi } from "vitest";
import { noAnswer } from "../../member/outcome";
import { AccountService } from "./account-service";
import { CalendarService } from "./calendar-service";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test("a request that is never answered, or only in part, is given up after 20 seconds", async () => {
  const limit = vi.spyOn(AbortSignal, "timeout");
  const service = new AccountService("https://meet.example.com");
  for (const fetch of [deadLine, halfAnswer]) {
    const overdue = new AbortController();
    limit.mockReturnValueOnce(overdue.signal);
    vi.stubGlobal("fetch", fetch);
    const outcome = service.signOut();
    overdue.abort();
    expect(await outcome).toEqual(noAnswer);
  }
  expect(limit.mock.calls).toEqual([[20_000], [20_000]]);
});

test("the service has more time to try a calendar, which may take 20 seconds by itself", async () => {
  const limit = vi.spyOn(AbortSignal, "timeout");
  vi.stubGlobal("fetch", async () => Response.json({}));
  const service = new CalendarService("https://meet.example.com");
  const access = { url: "https://dav.example.com", username: "ada", password: "p" };
  expect((await service.connectCalDav(access)).ok).toBe(true);
  expect(limit.mock.calls).toEqual([[30_000]]);
});

/** What fetch does where nothing comes back: it waits until it is aborted. */
async function deadLine(_: unknown, { signal }: RequestInit): Promise<Response> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason));
  });
}

/** The same, when the line dies after the head of the answer. */
async function halfAnswer(_: unknown, { signal }: RequestInit): Promise<Response> {
  const body = new ReadableStream({
    start: (stream) => signal?.addEventListener("abort", () => stream.error(signal.reason)),
  });
  return new Response(body);
}
