import { loadavg } from "node:os";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { type Arrival, inTurns, stepsOf, summary } from "./arrival-report";
import { Scene } from "./arrival-scene";
import { notesSince, traceArrival } from "./arrival-trace";
import { Person, untilDecoded } from "./people";
import type { ServiceUnderTest } from "./service";

const tries = Number(process.env["TRIES"] ?? 9);
/** Milliseconds for a packet and its answer; 0 is this machine by itself. */
const roundTrips = (process.env["ROUND_TRIPS"] ?? "0").split(",").map(Number);
/** Builds to compare with each other; without any, this build is compared with LiveKit's own client. */
const binaries = (process.env["BINARIES"] ?? "")
  .split(",")
  .filter((path) => path !== "")
  .map((path) => resolve(fileURLToPath(new URL("../..", import.meta.url)), path));

interface Credentials {
  readonly server_url: string;
  readonly token: string;
  readonly e2ee_passphrase: string;
}

/** Somebody who arrives by one way, again and again. */
interface Contestant {
  readonly name: string;
  readonly host: Person;
  readonly arrivals: Arrival[];
  readonly open: () => Promise<{ person: Person; join: () => Promise<unknown> }>;
}

function ours({ browser }: Scene, name: string, host: Person, url: string): Contestant {
  const open = async () => {
    const person = await Person.at(browser, "Newcomer", url, { prepare: traceArrival });
    await person.page.getByRole("textbox", { name: "Your name" }).fill("Newcomer");
    const button = person.page.getByRole("button", { name: "Join now" });
    return { person, join: () => button.click() };
  };
  return { name, host, arrivals: [], open };
}

function stock(
  { browser, stockUrl }: Scene,
  service: ServiceUnderTest,
  host: Person,
  roomId: string,
): Contestant {
  const open = async () => {
    const credentials = await service.call<Credentials>("POST", `/rooms/${roomId}/tokens`, {
      name: "Stock",
    });
    const person = await Person.at(browser, "Stock", stockUrl, { prepare: traceArrival });
    await person.page.waitForFunction(() => typeof window.enterStock === "function");
    const join = () =>
      person.page.evaluate((given) => {
        void window.enterStock(given);
      }, credentials);
    return { person, join };
  };
  return { name: "LiveKit's own client", host, arrivals: [], open };
}

async function arrive({ host, open }: Contestant): Promise<Arrival> {
  const { person, join } = await open();
  await person.page.waitForTimeout(2000); // a person reads the page first
  const decoded = untilDecoded(person.page);
  const load = loadavg()[0] ?? 0;
  const moment = await person.page.evaluate(() => performance.timeOrigin + performance.now());
  await join();
  const took = await decoded;
  await person.page.waitForTimeout(300); // until it is drawn
  const [newcomer, sent] = [
    await notesSince(person.page, moment),
    await notesSince(host.page, moment),
  ];
  await person.close();
  return { took, newcomer, host: sent, load };
}

function nameOf(binary: string | undefined): string {
  return binary === undefined ? "ours" : basename(binary);
}

/** This build and LiveKit's own client, or these builds. */
async function contestants(scene: Scene): Promise<Contestant[]> {
  const found: Contestant[] = [];
  for (const [index, { service, url: address }] of scene.services.entries()) {
    const room = await service.makeRoom();
    const url = `${address}${new URL(room.url).pathname}`;
    const host = await Person.in(scene.browser, "Host", url, { prepare: traceArrival });
    found.push(ours(scene, nameOf(binaries[index]), host, url));
    if (binaries.length === 0) found.push(stock(scene, service, host, room.id));
  }
  return found;
}

for (const roundTrip of roundTrips) {
  test(
    `from Join now to the first decoded frame, ${roundTrip} ms away`,
    async () => {
      const scene = await Scene.set(roundTrip, binaries);
      try {
        const all = await contestants(scene);
        for (let round = 0; round < tries; round++) {
          for (const one of inTurns(all, round)) {
            const arrival = await arrive(one);
            one.arrivals.push(arrival);
            process.stdout.write(stepsOf(`${one.name}, try ${round + 1}`, arrival));
          }
        }
        process.stdout.write(
          `click to first decoded frame, round trip ${roundTrip} ms, ${tries} tries each in turns\n` +
            all.map(({ name, arrivals }) => summary(name, arrivals)).join(""),
        );
        const took = all.flatMap(({ arrivals }) => arrivals.map((one) => one.took));
        expect(took.every(Number.isFinite)).toBe(true);
        for (const host of new Set(all.map((one) => one.host))) await host.close();
      } finally {
        await scene.strike();
      }
    },
    60_000 + tries * 30_000 * Math.max(2, binaries.length),
  );
}
