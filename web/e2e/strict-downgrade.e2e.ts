import { randomBytes } from "node:crypto";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Lies, Said } from "./lies";
import { openBrowser, Person, part, soon } from "./people";
import { SecretWatch } from "./secret-watch";
import { ServiceUnderTest } from "./service";
import { Wiretap } from "./wiretap";

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** A passphrase that the service knows. */
const passphrase = "x".repeat(43);

const standard = (room: unknown): Said => ({ ...(room as Said), encryption: "standard" });

/** The service calls the room standard wherever it speaks of it, and makes the key. */
const calledStandard: Lies = {
  answer: (path, truth) => {
    if (path === "look-up") return { ...truth, room: standard(truth["room"]) };
    if (path === "join" || path === "token") return { ...truth, e2ee_passphrase: passphrase };
    return undefined;
  },
  event: (name, truth) => (name === "room" ? standard(truth) : undefined),
};

/** The service calls the room strict, but still offers a passphrase. */
const offered: Lies = {
  answer: (path, truth) =>
    path === "join" || path === "token" ? { ...truth, e2ee_passphrase: passphrase } : undefined,
};

const out = "You are out, because this room's keys would no longer be only on devices";

async function isOut(person: Person): Promise<void> {
  await person.page.getByText(out).waitFor(soon);
  await person.page.getByText("The service says that the room is not strict any more.").waitFor();
  expect(await person.page.getByRole("button", { name: /join/i }).count()).toBe(0);
}

/** What a device sent to the gate and on its data channels while it was there. */
const sentTo = (tap: Wiretap, name: string) => tap.places.filter((place) => place.name === name);

for (const [what, fragment, lies] of [
  ["calls the room of a link with a secret standard", `#k=${newSecret()}`, calledStandard],
  ["offers a passphrase for the room of a link with a secret", `#k=${newSecret()}`, offered],
  ["offers a passphrase for a strict room", "", offered],
] as const) {
  test(`a device leaves before it sends anything when the service ${what}`, async () => {
    const room = await service.makeRoom({ encryption: "strict" });
    const tap = await Wiretap.to(service.ports, { lies });
    const ada = await Person.at(browser, "Ada", room.url + fragment, { line: tap });
    await ada.page.getByRole("textbox", { name: "Your name" }).fill("Ada");
    await ada.page.getByRole("button", { name: "Join now" }).click();
    await isOut(ada);
    expect(sentTo(tap, "WebSocket, sent")).toEqual([]);
    expect(sentTo(tap, "data channel")).toEqual([]);
    await part(ada);
    tap.close();
  });
}

test("a device leaves a strict meeting when the service says that the room is standard", async () => {
  const room = await service.makeRoom({ encryption: "strict" });
  let isLying = false;
  const event: Lies["event"] = (name, truth) =>
    isLying && name === "room" ? standard(truth) : undefined;
  const watch = new SecretWatch(service);
  const ada = await Person.in(browser, "Ada", room.url, {
    line: await watch.line({ lies: { event } }),
  });
  const boris = await Person.in(browser, "Boris", room.url, { line: await watch.line() });
  await Promise.all([ada.sees("Boris"), boris.sees("Ada")]);
  await watch.look();
  isLying = true;
  await service.call("PATCH", `/rooms/${room.id}`, { name: "Renamed" });
  await isOut(ada);
  // The service tells Boris the truth, so he is in the meeting. Ada is not.
  await expect.poll(() => boris.tile("Ada").count(), soon).toBe(0);
  expect(await boris.page.getByText(out).count()).toBe(0);
  await part(ada, boris);
  await watch.expectNothing("Boris");
});

function newSecret(): string {
  return randomBytes(16).toString("base64url");
}
