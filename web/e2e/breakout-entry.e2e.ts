import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isIn, openBreakouts } from "./breakout-rooms";
import { openBrowser, Person, soon } from "./people";
import { ServiceUnderTest } from "./service";
import { type Credentials, StockSite } from "./stock-site";

let browser: Browser;
let service: ServiceUnderTest;
let site: StockSite;

beforeAll(async () => {
  [browser, service, site] = await Promise.all([
    openBrowser(),
    ServiceUnderTest.start(),
    StockSite.start(),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await service?.stop();
});

test("nobody gets into another breakout room by asking, or with a forged or an old token", async () => {
  const room = await service.makeRoom();
  const bob = await Person.in(browser, "Bob", room.url);
  const cleo = await Person.in(browser, "Cleo", room.url);
  await expect.poll(async () => (await service.participants(room)).length, soon).toBe(2);
  /** Asks the service for a token, as the person's own page does. */
  const ask = async <T>(person: Person, path: string, body: object) => {
    const answer = await person.page.evaluate(askInPage, { code: room.code, path, body });
    return answer as { status: number; body: T };
  };
  const tokenOf = async (person: Person) => (await ask<MediaToken>(person, "token", {})).body;
  const stock = await site.open(browser);
  /**
   * Connects with LiveKit's own client, which checks nothing; returns the status of the refusal.
   */
  const connect = (given: Credentials) =>
    stock.page.evaluate((credentials) => window.refusedStock(credentials), given);

  const before = await tokenOf(bob);
  const { rooms } = await openBreakouts(service, room, { Bob: 0 });
  await isIn(bob, "Room 1");
  expect(await connect(before)).toBe(403);
  const inside = await tokenOf(bob);
  expect(inside.breakout_id).toBe(rooms[0]?.id);

  const refused = await ask(cleo, "breakouts/join", { breakout_id: rooms[0]?.id });
  expect(refused).toMatchObject({ status: 403, body: { error: { code: "breakout_not_yours" } } });
  const own = await tokenOf(cleo);
  expect(own.breakout_id ?? null).toBeNull();
  expect(own.e2ee_passphrase).not.toBe(inside.e2ee_passphrase);
  // The attempt may even use the right key.
  const token = forged(own.token, `${room.id}_${rooms[0]?.id}`);
  expect(await connect({ ...inside, token })).toBe(401);

  // Once he is back in the main room, his old token for the breakout room is refused.
  await service.call("POST", `/rooms/${room.id}/breakouts/assignments`, {
    participant: (await service.participants(room)).find(({ name }) => name === "Bob")?.identity,
    breakout_id: null,
  });
  await isIn(bob, "Main room");
  expect(await connect(inside)).toBe(403);

  // The attempts put nobody out and let nobody in.
  await Promise.all([bob.sees("Cleo"), cleo.sees("Bob")]);
  const names = (await service.participants(room)).map(({ name }) => name);
  expect(names.toSorted()).toEqual(["Bob", "Cleo"]);
  // The same client gets in with the token for the right room, and takes over the seat.
  expect(await connect(await tokenOf(bob))).toBeNull();
  expect([...bob.complaints, ...cleo.complaints]).toEqual([]);
  await Promise.all([bob, cleo, stock].map((person) => person.close()));
});

interface MediaToken extends Credentials {
  readonly breakout_id?: string | null;
}

interface Claims {
  readonly video: { room: string };
}

/** The same token with the name of another media room, so that the signature is wrong. */
function forged(token: string, mediaRoom: string): string {
  const [head = "", claims = "", signature = ""] = token.split(".");
  const changed = JSON.parse(Buffer.from(claims, "base64url").toString()) as Claims;
  changed.video.room = mediaRoom;
  const rewritten = Buffer.from(JSON.stringify(changed)).toString("base64url");
  return [head, rewritten, signature].join(".");
}

interface Question {
  readonly code: string;
  readonly path: string;
  readonly body: object;
}

/** Runs in the page of a person who has a seat in the room. */
async function askInPage({ code, path, body }: Question) {
  const response = await fetch(`/meet/v1/${path}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${sessionStorage.getItem(`conclave.seat.${code}`)}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as unknown };
}
