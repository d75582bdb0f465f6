import { loadavg } from "node:os";
import { expect, test } from "vitest";
import { type Arrival, besideLast, inTurns, stepsOf, summary, type Times } from "./arrival-report";
import { Scene } from "./arrival-scene";
import { firsts, notesSince, traceArrival } from "./arrival-trace";
import { bareName, binaries, nameOf, roundTrips } from "./bench-settings";
import { Person, untilDecoded } from "./people";
import type { ServiceUnderTest } from "./service";
import type { Credentials } from "./stock-site";

const tries = Number(process.env["TRIES"] ?? 9);
/** How newcomers to our page come in: "join" at once, or from the waiting room ("admission"). */
const way = process.env["WAY"] ?? "join";

/** A person who arrives repeatedly, always by the same way. */
interface Contestant {
  readonly name: string;
  readonly host: Person;
  readonly arrivals: Arrival[];
  readonly open: () => Promise<{ person: Person; join: () => Promise<unknown> }>;
}

/** A room of a service, and who is in it. */
interface Place {
  /** What the service is called in the summary. */
  readonly name: string;
  readonly service: ServiceUnderTest;
  readonly roomId: string;
  /** The room's address as the browser knows it. */
  readonly url: string;
  readonly host: Person;
}

function ours({ browser }: Scene, { name, host, url }: Place): Contestant {
  const open = async () => {
    const person = await Person.at(browser, "Newcomer", url, { prepare: traceArrival });
    await person.page.getByRole("textbox", { name: "Your name" }).fill("Newcomer");
    const button = person.page.getByRole("button", { name: "Join now" });
    return { person, join: () => button.click() };
  };
  return { name, host, arrivals: [], open };
}

/** A person who waits until a request to the service lets them in. */
function admitted({ browser }: Scene, { service, url, roomId, host, name }: Place): Contestant {
  const open = async () => {
    const person = await Person.at(browser, "Newcomer", url, { prepare: traceArrival });
    await person.page.getByRole("textbox", { name: "Your name" }).fill("Newcomer");
    await person.page.getByRole("button", { name: "Ask to join" }).click();
    await person.told("Waiting for a host to let you in").waitFor();
    const waiting = `/rooms/${roomId}/waiting`;
    const { data } = await service.call<{ data: { identity: string }[] }>("GET", waiting);
    const path = `${waiting}/${encodeURIComponent(data[0]?.identity ?? "")}`;
    return { person, join: () => service.call("POST", path, { decision: "admit" }) };
  };
  return { name, host, arrivals: [], open };
}

function stock({ browser, stockUrl }: Scene, { service, host, roomId }: Place): Contestant {
  const open = async () => {
    const credentials = await service.call<Credentials>("POST", `/rooms/${roomId}/tokens`, {
      name: "Stock",
    });
    const person = await Person.at(browser, "Stock", stockUrl, { prepare: traceArrival });
    await person.page.waitForFunction(() => typeof window.enterStock === "function");
    // A button, so that a click takes as long as on our page.
    await person.page.evaluate((given) => {
      const button = document.body.appendChild(document.createElement("button"));
      button.textContent = "Join now";
      button.addEventListener("click", () => void window.enterStock(given));
    }, credentials);
    const button = person.page.getByRole("button", { name: "Join now" });
    return { person, join: () => button.click() };
  };
  return { name: bareName, host, arrivals: [], open };
}

async function arrive({ host, open }: Contestant): Promise<Arrival> {
  const { person, join } = await open();
  await person.page.waitForTimeout(2000); // a person reads the page first
  const decoded = untilDecoded(person.page);
  const load = loadavg()[0] ?? 0;
  const moment = await person.page.evaluate(() => performance.timeOrigin + performance.now());
  await join();
  const took = await decoded;
  const drawn = await untilDrawn(person, moment);
  const [newcomer, sent] = [
    await notesSince(person.page, moment),
    await notesSince(host.page, moment),
  ];
  await person.close();
  return { took, drawn, newcomer, host: sent, load };
}

/** When the first picture of somebody else was drawn, in milliseconds after a moment. */
async function untilDrawn({ page }: Person, moment: number): Promise<number> {
  const isDrawn = (from: number) =>
    window.arrival.some(({ step, at }) => step === "drawn" && at >= from);
  await page.waitForFunction(isDrawn, moment, { polling: 100, timeout: 10_000 }).catch(() => {});
  return firsts(await notesSince(page, moment)).drawn ?? Number.POSITIVE_INFINITY;
}

function timesUntil({ name, arrivals }: Contestant): Times {
  const [decoded, drawn] = [arrivals.map(({ took }) => took), arrivals.map((one) => one.drawn)];
  return { name, until: { decoded, drawn } };
}

/** This build and LiveKit's own client, or these builds. */
async function contestants(scene: Scene): Promise<Contestant[]> {
  const found: Contestant[] = [];
  for (const [index, { service, url: address }] of scene.services.entries()) {
    const room = await service.makeRoom();
    const url = `${address}${new URL(room.url).pathname}`;
    const host = await Person.in(scene.browser, "Host", url, { prepare: traceArrival });
    const settings = { admission: way === "admission" ? "knock" : "direct" };
    await service.call("PATCH", `/rooms/${room.id}`, { settings });
    const place = { name: nameOf(index), service, roomId: room.id, url, host };
    found.push(way === "admission" ? admitted(scene, place) : ours(scene, place));
    if (binaries.length === 0) found.push(stock(scene, place));
  }
  return found;
}

for (const roundTrip of roundTrips) {
  test(
    `from ${way === "admission" ? "admission" : "Join now"} to the first decoded frame, ${roundTrip} ms away`,
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
          `${way === "admission" ? "admission" : "click"} to first decoded frame, round trip ${roundTrip} ms, ${tries} tries each in turns\n` +
            all.map(({ name, arrivals }) => summary(name, arrivals)).join("") +
            besideLast(all.map(timesUntil)),
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
