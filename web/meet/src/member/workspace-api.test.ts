import { afterEach, expect, test, vi } from "vitest";
import { noAnswer } from "./outcome";
import { WorkspaceApi } from "./workspace-api";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test("a room that is asked for again after a dead line is made once", async () => {
  const overdue = new AbortController();
  const limit = vi.spyOn(AbortSignal, "timeout").mockReturnValueOnce(overdue.signal);
  const keys: (string | null)[] = [];
  const answers = [
    (signal: AbortSignal | null | undefined) =>
      new Promise<Response>((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
      }),
    async () => Response.json({ id: "r" }),
  ];
  vi.stubGlobal("fetch", (_: string, { headers, signal }: RequestInit) => {
    keys.push(new Headers(headers).get("Idempotency-Key"));
    return answers.shift()?.(signal);
  });
  const api = new WorkspaceApi("https://meet.example.com", "w");
  const first = api.ask("POST", "/rooms", { name: "Weekly" });
  overdue.abort();
  expect(await first).toEqual(noAnswer);
  const again = await api.ask("POST", "/rooms", { name: "Weekly" });
  expect(again).toEqual({ ok: true, value: { id: "r" } });
  expect(keys[0]).toBeTruthy();
  expect(keys[1]).toBe(keys[0]);
  expect(limit.mock.calls).toEqual([[20_000], [20_000]]);
});

test("a person whom the service no longer knows has to sign in", async () => {
  // Without a session the service takes the request for one that lacks an API key.
  const error = { type: "authentication_error", code: "api_key_missing", message: "No key." };
  vi.stubGlobal("fetch", async () => Response.json({ error }, { status: 401 }));
  const api = new WorkspaceApi("https://meet.example.com", "w");
  const refused = { ok: false, code: "sign_in_required", param: null };
  expect(await api.ask("GET", "/rooms")).toEqual(refused);
  expect(await api.ask("POST", "/rooms", { name: "Weekly" })).toEqual(refused);
});
