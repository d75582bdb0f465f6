import { afterEach, expect, test, vi } from "vitest";
import { MemberService } from "./member-service.js";

afterEach(() => {
  vi.restoreAllMocks();
});

const baseUrl = "https://meet.example.com";

test("a request that is never answered, or only in part, is given up after 20 seconds", async () => {
  const limit = vi.spyOn(AbortSignal, "timeout");
  for (const fetch of [deadLine, halfAnswer]) {
    const overdue = new AbortController();
    limit.mockReturnValueOnce(overdue.signal);
    const devices = new MemberService({ baseUrl, fetch }).devices();
    overdue.abort();
    await expect(devices).rejects.toMatchObject({ code: "network" });
  }
  expect(limit.mock.calls).toEqual([[20_000], [20_000]]);
});

test("a piece of a recording takes as long as it needs", async () => {
  const limit = vi.spyOn(AbortSignal, "timeout");
  const fetch = async () => new Response(new Uint8Array([1, 2, 3]));
  const service = new MemberService({ baseUrl, fetch });
  const piece = await service.piece("r", 0, new AbortController().signal);
  expect(piece).toEqual(new Uint8Array([1, 2, 3]));
  expect(limit).not.toHaveBeenCalled();
});

/** What fetch does where nothing comes back: it waits until it is aborted. */
async function deadLine(_: unknown, init?: RequestInit): Promise<Response> {
  return new Promise((_resolve, reject) => {
    init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
  });
}

/** The same, when the line dies after the head of the answer. */
async function halfAnswer(_: unknown, init?: RequestInit): Promise<Response> {
  const body = new ReadableStream({
    start: (stream) => {
      init?.signal?.addEventListener("abort", () => stream.error(init.signal?.reason));
    },
  });
  return new Response(body);
}
