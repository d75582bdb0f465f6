import { createServer, type Server, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebhookError } from "./error.js";
import { parseEvent } from "./event.js";
import type { WebhookEvent } from "./events.js";
import { fetchHandler, type HandlerOptions, maxBody, nodeHandler } from "./handler.js";
import { sign } from "./verify.js";

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const left = JSON.stringify({
  id: "evt_01",
  type: "participant.left",
  created_at: "2026-11-22T10:00:00.000Z",
  data: {
    room: { id: "r1", code: "abc-defg-hjk", name: "Weekly" },
    participant: { identity: "api_ada.k3", name: "Ada", role: "host" },
    reason: "left",
    occurred_at: "2026-11-22T10:00:00.000Z",
  },
});

/** Collects a handler's events and refusals. */
class Told {
  readonly events: WebhookEvent[] = [];
  readonly refused: unknown[] = [];
  fails = false;

  readonly options: HandlerOptions = {
    secret,
    receive: (event) => {
      this.events.push(event);
      if (this.fails) throw new WebhookError("no_signature", "an error of the receiver's own");
    },
    refused: (error) => this.refused.push(error),
  };

  /** The code of the only refusal, "" without one. */
  get code(): string {
    const [error] = this.refused;
    return error instanceof WebhookError ? error.code : String(error ?? "");
  }
}

/** Both handlers, called in the same way. */
type Ask = (method: string, body: string, header: string, told: Told) => Promise<Response>;

let server: Server;
let current: Told;
beforeAll(async () => {
  server = createServer((request, response) => {
    void nodeHandler(current.options)(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.close();
});

function address(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function made(method: string, body: string, header: string) {
  const headers: Record<string, string> = header === "" ? {} : { "Service-Signature": header };
  return method === "GET" ? { method, headers } : { method, headers, body };
}

const asks: readonly [string, Ask][] = [
  [
    "nodeHandler",
    async (method, body, header, told) => {
      current = told;
      return fetch(address(), made(method, body, header));
    },
  ],
  [
    "fetchHandler",
    async (method, body, header, told) =>
      fetchHandler(told.options)(new Request("http://localhost/", made(method, body, header))),
  ],
];

describe.each(asks)("%s", (_name, ask) => {
  test("takes an event", async () => {
    const told = new Told();
    const response = await ask("POST", left, await sign(secret, left), told);
    expect([response.status, await response.text(), told.code]).toEqual([204, "", ""]);
    expect(told.events).toEqual([JSON.parse(left)]);
    const [event] = told.events;
    // The compiler checks that the type determines the data.
    expect(event?.type === "participant.left" && event.data.participant.name).toBe("Ada");
  });

  test("asks for the event again when the receiver fails, whatever it throws", async () => {
    const told = new Told();
    told.fails = true;
    const response = await ask("POST", left, await sign(secret, left), told);
    expect([response.status, told.events.length, told.refused.length]).toEqual([500, 1, 1]);
  });

  test.each([
    ["a forgery", left, () => sign("whsec_other", left), 401, "signature_mismatch"],
    ["no signature", left, async () => "", 401, "no_signature"],
    ["a header that cannot be read", left, async () => "v1", 401, "malformed_signature"],
    ["an old one", left, () => sign(secret, left, new Date(0)), 401, "too_old"],
    ["signed, and no event", "[]", () => sign(secret, "[]"), 400, "malformed_event"],
    ["no body", "", () => sign(secret, ""), 400, "malformed_event"],
  ])("refuses: %s", async (_what, body, header, status, code) => {
    const told = new Told();
    const response = await ask("POST", body, await header(), told);
    expect([response.status, await response.text(), told.code]).toEqual([status, "", code]);
    expect(told.events).toEqual([]);
  });

  test("limits how much it reads", async () => {
    const long = left.replace("Weekly", "x".repeat(maxBody - left.length + "Weekly".length));
    const fits = new Told();
    expect((await ask("POST", long, await sign(secret, long), fits)).status).toBe(204);
    const over = new Told();
    expect((await ask("POST", `${long} `, await sign(secret, `${long} `), over)).status).toBe(413);
    expect(over.code).toBe("body_too_large");
  });

  test("accepts only POST", async () => {
    const told = new Told();
    const response = await ask("GET", "", "", told);
    expect([response.status, response.headers.get("Allow"), told.code]).toEqual([
      405,
      "POST",
      "method_not_allowed",
    ]);
  });

  test("asks for the event again when it has no secret", async () => {
    const told = new Told();
    const header = await sign(secret, left);
    const without = Object.assign(new Told(), { options: { ...told.options, secret: undefined } });
    expect((await ask("POST", left, header, without)).status).toBe(500);
    expect(told.code).toBe("no_secret");
  });
});

test("a body without an end is given up, and the sender gets an answer", async () => {
  current = new Told();
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const request = send(address(), {
      method: "POST",
      headers: { "Transfer-Encoding": "chunked" },
    });
    request.on("error", reject);
    request.on("response", (response) => {
      resolve(response.statusCode);
      request.destroy();
    });
    request.write(Buffer.alloc(maxBody + 1));
  });
  expect([status, current.code]).toEqual([413, "body_too_large"]);
});

describe("behind a framework that has read the body", () => {
  /** Handles a request as Express passes it on. */
  async function behind(body: unknown): Promise<number> {
    current = new Told();
    const framework = createServer((request, response) => {
      request.resume().on("end", () => {
        void nodeHandler(current.options)(Object.assign(request, { body }), response);
      });
    });
    await new Promise<void>((resolve) => framework.listen(0, "127.0.0.1", resolve));
    const { port } = framework.address() as AddressInfo;
    const init = made("POST", left, await sign(secret, left));
    const response = await fetch(`http://127.0.0.1:${port}/`, init);
    framework.close();
    return response.status;
  }

  test("the raw bytes are accepted", async () => {
    expect(await behind(Buffer.from(left))).toBe(204);
  });

  test("a parsed body is refused with an explanation", async () => {
    expect(await behind(JSON.parse(left))).toBe(500);
    expect(current.code).toMatch(/the bytes that were received/);
  });
});

describe("parseEvent", () => {
  test("reads events of a newer service", () => {
    const text =
      '{"id": "evt_02", "type": "planet.discovered", "created_at": "2026-11-22T10:00:00.000Z", "data": {"name": "Vulcan"}}';
    expect(parseEvent(text)).toEqual(JSON.parse(text));
  });

  test.each([
    "",
    "null",
    "[]",
    "{}",
    "not JSON",
    '{"type": "room.created", "created_at": "x", "data": {}}',
    '{"id": "evt_01", "created_at": "x", "data": {}}',
    '{"id": "evt_01", "type": "room.created", "data": {}}',
    '{"id": "evt_01", "type": "room.created", "created_at": "x"}',
    '{"id": "evt_01", "type": "room.created", "created_at": "x", "data": null}',
    '{"id": "evt_01", "type": "room.created", "created_at": "x", "data": []}',
    '{"id": 7, "type": "room.created", "created_at": "x", "data": {}}',
  ])("refuses %s", (text) => {
    expect(() => parseEvent(text)).toThrow(WebhookError);
  });

  test("refuses bytes that are not UTF-8", () => {
    expect(() => parseEvent(Uint8Array.of(0x22, 0xff, 0x22))).toThrow(WebhookError);
  });
});
