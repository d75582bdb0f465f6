import { expect, test } from "vitest";
import { Entrance } from "./entrance.js";
import type { KeyValueStore } from "./preferences.js";

function memory(): KeyValueStore {
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

/** A browser, and the bodies of the requests that its pages send. */
function browser() {
  const lasting = memory();
  const sent: { browser?: string; join_secret?: string }[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    sent.push(JSON.parse(String(init?.body)));
    return Response.json({ ticket: "t" });
  };
  const opens = (joinSecret: string | null = null) =>
    new Entrance({
      baseUrl: "https://meet.example.com",
      code: "abc",
      joinSecret,
      store: memory(), // of a new tab
      lasting,
      fetch,
    });
  return { opens, sent };
}

test("a guest who joined is recognised in another tab of the browser, before they join again", async () => {
  const { opens, sent } = browser();
  await opens().lookUp();
  await opens().takeSeat({ name: "Ada" });
  await opens().lookUp();
  const [looked, joined, again] = sent.map((body) => body.browser);
  expect(looked).toBeUndefined(); // who only looks leaves nothing behind
  expect(joined).toMatch(/^[\w-]{43}$/);
  expect(again).toBe(joined);
});

test("a join link says by itself who comes", async () => {
  const { opens, sent } = browser();
  await opens().takeSeat({ name: "Ada" });
  await opens("secret").takeSeat({ name: "Ada" });
  await opens("secret").lookUp();
  expect(sent.slice(1).map((body) => [body.join_secret, body.browser])).toEqual([
    ["secret", undefined],
    ["secret", undefined],
  ]);
});

test("a person who reads that they were removed comes anew when they try again", async () => {
  const store = memory();
  const tickets: (string | null)[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    const ticket = new Headers(init?.headers).get("Authorization");
    tickets.push(ticket);
    const isRemoved = ticket !== null;
    return Response.json({
      decision: isRemoved ? "refused" : "enter",
      reason: isRemoved ? "removed" : null,
    });
  };
  const entrance = new Entrance({ baseUrl: "https://meet.example.com", code: "abc", store, fetch });
  entrance.seats.remember("t");
  expect((await entrance.lookUp()).reason).toBe("removed");
  expect((await entrance.lookUp()).decision).toBe("enter");
  expect(tickets).toEqual(["Bearer t", null]);
});

test.each([
  ["answers that the person was removed", () => Response.json({ reason: "removed" })],
  [
    "does not know the ticket",
    () => Response.json({ error: { code: "ticket_invalid", message: "" } }, { status: 401 }),
  ],
])("a late look-up that %s leaves a newer seat alone", async (_, answer) => {
  let sendLate = (_answer: Response) => {};
  const late = new Promise<Response>((resolve) => (sendLate = resolve));
  const fetch = async (_: unknown, init?: RequestInit) =>
    new Headers(init?.headers).get("Authorization") === "Bearer old" ? late : Response.json({});
  const baseUrl = "https://meet.example.com";
  const entrance = new Entrance({ baseUrl, code: "abc", store: memory(), fetch });
  entrance.seats.remember("old");
  const looking = entrance.lookUp();
  entrance.seats.remember("new");
  sendLate(answer());
  await looking;
  expect(entrance.seats.ticket).toBe("new");
});
