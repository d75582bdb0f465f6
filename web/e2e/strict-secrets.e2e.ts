import { randomBytes } from "node:crypto";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isIn, openBreakouts } from "./breakout-rooms";
import { openBrowser, Person, part, soon } from "./people";
import { placesWith } from "./secret-search";
import { ServiceUnderTest } from "./service";
import { Wiretap } from "./wiretap";

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  const camera = "--use-fake-device-for-media-stream=fps=5";
  [browser, service] = await Promise.all([openBrowser([camera]), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** A text that is nowhere else. */
const newMarker = () => `marker${randomBytes(12).toString("hex")}`;

async function say(from: Person, text: string, ...to: Person[]): Promise<void> {
  const chat = await from.openPanel("Chat");
  await chat.getByRole("textbox", { name: "Message" }).fill(text);
  await chat.getByRole("button", { name: "Send" }).click();
  for (const one of to) {
    const log = (await one.openPanel("Chat")).getByRole("log");
    await log.getByText(text).waitFor(soon);
  }
}

async function react(from: Person, to: Person): Promise<void> {
  await from.control("React").click();
  await from.page.getByRole("menuitem", { name: "🎉" }).click();
  await to.tile(from.name).getByText("🎉").waitFor(soon);
}

test("a search finds no key and no message in what the service keeps, writes and passes on", async () => {
  const room = await service.makeRoom({ encryption: "strict" });
  const linkSecret = randomBytes(16);
  const secretPart = `k=${linkSecret.toString("base64url")}`;
  const hostLink = `${await service.invite(room, "Hedwig", "host")}&${secretPart}`;
  const taps = [await Wiretap.to(service.ports), await Wiretap.to(service.ports)];
  const [ofHedwig, ofRoberta] = taps as [Wiretap, Wiretap];
  const hedwig = await Person.in(browser, "Hedwig", hostLink, { line: ofHedwig });
  const link = `${room.url}#${secretPart}`;
  const roberta = await Person.in(browser, "Roberta", link, { line: ofRoberta });
  await Promise.all([hedwig.sees("Roberta"), roberta.sees("Hedwig"), hedwig.hears()]);
  const messages = [newMarker(), newMarker(), newMarker()];
  const [together, apart, anew] = messages as [string, string, string];
  await say(hedwig, together, roberta);
  await react(roberta, hedwig);

  const session = await openBreakouts(
    ...[service, room, { Hedwig: 0, Roberta: 0 }, { auto_join: true }],
  );
  const name = session.rooms[0]?.name ?? "";
  await Promise.all([isIn(hedwig, name), isIn(roberta, name)]);
  await Promise.all([hedwig.sees("Roberta"), roberta.sees("Hedwig")]);
  await say(roberta, apart, hedwig);
  await service.call("POST", `/rooms/${room.id}/breakouts/end`, { warn: false });
  await Promise.all([hedwig.sees("Roberta"), roberta.sees("Hedwig")]);

  await roberta.page.reload();
  await roberta.join();
  await Promise.all([hedwig.sees("Roberta"), roberta.sees("Hedwig")]);
  await say(roberta, anew, hedwig);
  // While the meeting runs, when the service has most in its files.
  const kept = await service.places();
  await part(hedwig, roberta);

  const passed = taps.flatMap((tap) => tap.places);
  const everywhere = [...kept, ...(await service.places()), ...passed];
  const find = (secret: Buffer | string) => placesWith(Buffer.from(secret), everywhere);

  // The search finds what is there: in the files, the log, and whatever the devices sent.
  const placesOfName = find("Roberta");
  for (const place of [
    /^conclave\.db/,
    /^POST \/meet\/v1\/join, request$/,
    /^WebSocket, received$/,
  ]) {
    expect(placesOfName).toContainEqual(expect.stringMatching(place));
  }
  expect(find("Conclave is ready")).toContain("log");
  expect(find("conclave.chat")).toContain("data channel");
  const keys = taps.flatMap((tap) => tap.keys);
  const bytesOf = (...kinds: string[]) =>
    keys.filter(({ kind }) => kinds.includes(kind)).map(({ bytes }) => bytes);
  const published = bytesOf("public").flatMap(find);
  expect(published.filter((place) => place.startsWith("POST /meet/v1/"))).not.toEqual([]);

  for (const kind of ["media", "data", "message", "signature"]) {
    expect(bytesOf(kind).length, kind).toBeGreaterThan(3);
  }
  // A signature key is wrapped in 16 bytes that are the same for all (RFC 8410).
  const signatureKeys = bytesOf("signature").map((bytes) => bytes.subarray(-32));
  const secrets = [...bytesOf("media", "data", "message"), ...signatureKeys, linkSecret];
  const different = [...new Set(secrets.map((bytes) => bytes.toString("hex")))];
  expect(different.flatMap((secret) => find(Buffer.from(secret, "hex")))).toEqual([]);
  expect(messages.flatMap(find)).toEqual([]);
  for (const tap of taps) tap.close();
});
