import { afterEach, expect, test, vi } from "vitest";
import { WorkspaceApi } from "../../member/workspace-api";
import type { MeetingFields } from "./meeting-draft";
import { WorkspaceService } from "./workspace-service";

afterEach(() => vi.unstubAllGlobals());

type Reply = "lost" | { readonly status: number; readonly body: object };

/** A fake service that gives these answers in turn, and the keys it received. */
function service(...replies: Reply[]) {
  const keys: (string | null)[] = [];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    keys.push(new Headers(init.headers).get("Idempotency-Key"));
    const reply = replies.shift();
    if (reply === undefined || reply === "lost") throw new TypeError("the connection is gone");
    return Response.json(reply.body, { status: reply.status });
  });
  return {
    keys,
    asked: new WorkspaceService(new WorkspaceApi("https://meet.example.com", "acme")),
  };
}

const made = { status: 201, body: { id: "1" } };
const refused = (status: number, code: string) => ({ status, body: { error: { code } } });
const room = { name: "Weekly" };
const meeting = { title: "Review" } as MeetingFields;

test("a request that is repeated after a lost answer carries the same key", async () => {
  const { asked, keys } = service("lost", "lost", made, made);
  expect(await asked.createRoom(room)).toMatchObject({ ok: false, code: "network" });
  await asked.createRoom(room);
  expect(await asked.createRoom({ ...room })).toEqual({ ok: true, value: { id: "1" } });
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys.slice(1)).toEqual([keys[0], keys[0]]);
  await asked.createRoom(room);
  expect(keys[3]).not.toBe(keys[0]);
});

test("an incomplete answer counts as lost", async () => {
  const { asked, keys } = service();
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    keys.push(new Headers(init.headers).get("Idempotency-Key"));
    return new Response('{"id": ', { status: 201 });
  });
  await asked.schedule(meeting);
  await asked.schedule(meeting);
  expect(keys[1]).toBe(keys[0]);
});

test("a request that still runs, or at which the service failed, is repeated with its key", async () => {
  const { asked, keys } = service(
    "lost",
    refused(409, "idempotency_key_in_use"),
    refused(500, "internal_error"),
    made,
  );
  for (let i = 0; i < 4; i++) await asked.schedule(meeting);
  expect(new Set(keys).size).toBe(1);
});

test("another request, and one after a refusal, has a new key", async () => {
  const { asked, keys } = service("lost", "lost", "lost", refused(409, "limit_reached"), made);
  await asked.schedule(meeting);
  await asked.schedule({ ...meeting, title: "Another" });
  await asked.createRoom(room);
  await asked.schedule(meeting);
  await asked.schedule(meeting);
  expect(keys[3]).toBe(keys[0]);
  expect(new Set(keys).size).toBe(4);
});

test("a request that creates nothing carries no key", async () => {
  const { asked, keys } = service(made, made, made);
  await asked.rooms(null);
  await asked.changeMeeting("1", { title: "Moved" });
  await asked.cancelMeeting("1");
  expect(keys).toEqual([null, null, null]);
});
