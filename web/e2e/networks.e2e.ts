import type { Browser } from "playwright-core";
import { expect, type TestContext, test } from "vitest";
import { firsts, notesSince, traceArrival } from "./arrival-trace";
import { HttpProxy } from "./http-proxy";
import { addresses, Namespace, type Undo, undoAll } from "./namespace";
import { openBrowser, Person, part, soon } from "./people";
import { freePort, ServiceUnderTest } from "./service";
import { TlsEnd } from "./tls-end";

/** A service on this machine, and another network in which people have their browsers. */
interface Scene {
  readonly service: ServiceUnderTest;
  readonly network: Namespace;
  /** Where people reach the service, and the port of that. */
  readonly url: string;
  readonly port: number;
}

async function withNetwork(
  context: TestContext,
  version: 4 | 6,
  tell: (network: Namespace, undo: Undo) => Promise<void>,
  roundTripMs = 0,
): Promise<void> {
  const undo: Undo = [];
  try {
    const lack = await Namespace.lack();
    if (lack !== null) context.skip(`a network of its own needs ${lack}`);
    const network = await Namespace.make(version, roundTripMs);
    undo.push(() => network.remove());
    await tell(network, undo);
  } finally {
    await undoAll(undo);
  }
}

/** A service behind a proxy that takes TLS off. */
function withFront(
  context: TestContext,
  version: 4 | 6,
  relay: "on" | "off",
  tell: (scene: Scene, undo: Undo) => Promise<void>,
  roundTripMs = 0,
): Promise<void> {
  const begin = async (network: Namespace, undo: Undo): Promise<void> => {
    const { ours } = addresses[version];
    const front = await TlsEnd.open(ours);
    undo.push(() => front.close());
    const tcp = await freePort();
    const service = await ServiceUnderTest.start(async () => [
      ...["--public-url", front.url, "--turn-tls", relay],
      ...["--media-node-ip", ours, "--media-tcp-port", String(tcp)],
    ]);
    undo.push(() => service.stop());
    front.service = service.ports.http;
    await tell({ service, network, url: front.url, port: front.port }, undo);
  };
  return withNetwork(context, version, begin, roundTripMs);
}

/**
 * How long it may take on any network until the second person is connected for sound and pictures,
 * counted from "Join now".
 */
const mostMs = 5000;

/** Opens a browser in a network, which trusts every certificate. */
async function browserIn(network: Namespace, undo: Undo, flags: readonly string[]) {
  const args = ["--ignore-certificate-errors", ...flags];
  const browser = await openBrowser({ flags: args, program: await network.browser() });
  undo.push(() => browser.close());
  return browser;
}

/** Two people in that network meet, and their panel "Info" says which way media takes. */
async function meet(scene: Scene, undo: Undo, way: string, ...flags: string[]) {
  const browser = await browserIn(scene.network, undo, flags);
  const connected = await meetIn([browser, browser], scene, way);
  // Only the connection depends on the network. The first picture also waits for both browsers to
  // encode and decode, which takes longer beside other tests: it is printed.
  expect(connected, `ms until connected: ${way}`).toBeLessThan(mostMs);
}

/**
 * Ada and Bob meet, each in a browser, and their panel "Info" says which way media takes. Resolves
 * to the milliseconds from Bob's "Join now" until he was connected.
 */
async function meetIn(
  [adas, bobs]: readonly [Browser, Browser],
  { service, url }: Pick<Scene, "service" | "url">,
  way: string,
) {
  const room = await service.makeRoom();
  const link = `${url}${new URL(room.url).pathname}`;
  const ada = await Person.in(adas, "Ada", link);
  const bob = await Person.at(bobs, "Bob", link, { prepare: traceArrival });
  const began = await bob.page.evaluate(() => performance.timeOrigin + performance.now());
  await bob.join();
  await bob.sees("Ada");
  const took = (await bob.page.evaluate(() => performance.timeOrigin + performance.now())) - began;
  const { connected = Number.POSITIVE_INFINITY } = firsts(await notesSince(bob.page, began));
  const times = `connected ${connected.toFixed(0)} ms, pictures ${took.toFixed(0)} ms`;
  process.stdout.write(`${way}: from "Join now" until ${times}\n`);
  await Promise.all([ada.sees("Bob"), ada.hears(), bob.hears()]);
  for (const person of [ada, bob]) {
    const info = await person.openPanel("Info");
    await info.getByText(way).waitFor(soon);
  }
  await part(ada, bob);
  return connected;
}

// Chrome tries UDP first, then relays and then TCP, at short intervals, and stops once one of them
// works. Without a distance the relay sometimes works before TCP is tried.
test("people whose network drops UDP meet over TCP", (context) => {
  const tell = async (scene: Scene, undo: Undo): Promise<void> => {
    await scene.network.onlyLetsOut("meta l4proto tcp");
    await meet(scene, undo, "to the service over TCP, because UDP did not get through");
  };
  return withFront(context, 4, "on", tell, 20);
});

test("people whose network passes only HTTPS meet through the port of the page", (context) =>
  withFront(context, 4, "on", async (scene, undo) => {
    await scene.network.onlyLetsOut(`tcp dport ${scene.port}`);
    await meet(scene, undo, "through the port of the page (TURN over TLS)");
  }));

test("people whose network passes only HTTPS meet where TLS ends in the service", (context) =>
  withNetwork(context, 4, async (network, undo) => {
    const { ours } = addresses[4];
    const service = await ServiceUnderTest.startWithTls(ours, ["--media-node-ip", ours]);
    undo.push(() => service.stop());
    const scene = { service, network, url: service.url, port: service.ports.http };
    await network.onlyLetsOut(`tcp dport ${scene.port}`);
    await meet(scene, undo, "through the port of the page (TURN over TLS)");
  }));

test("people behind an HTTP proxy meet through it", (context) =>
  withFront(context, 4, "on", async (scene, undo) => {
    const proxy = await HttpProxy.open(addresses[4].ours, scene.port);
    undo.push(() => proxy.close());
    await scene.network.onlyLetsOut(`tcp dport ${proxy.port}`);
    const way = "through the port of the page (TURN over TLS)";
    await meet(scene, undo, way, `--proxy-server=${proxy.url}`);
  }));

for (const relay of ["on", "off"] as const) {
  test(`people on another network meet over UDP (with TURN: ${relay})`, (context) =>
    withFront(context, 4, relay, async (scene, undo) => {
      await meet(scene, undo, "straight to the service (UDP)");
    }));
}

test("people whose network has only IPv6 meet over UDP", (context) =>
  withFront(context, 6, "on", async (scene, undo) => {
    await meet(scene, undo, "straight to the service (UDP)");
  }));

test("people whose networks have only IPv4 and only IPv6 meet", (context) =>
  withNetwork(context, 4, async (four, undo) => {
    const six = await Namespace.make(6);
    undo.push(() => six.remove());
    const front = await TlsEnd.open("::", "meet.example.com");
    undo.push(() => front.close());
    const service = await ServiceUnderTest.start(async () => [
      ...["--public-url", front.url, "--media-node-ip", addresses[4].ours],
    ]);
    undo.push(() => service.stop());
    front.service = service.ports.http;
    const named = (address: string) => [`--host-resolver-rules=MAP meet.example.com ${address}`];
    const first = await browserIn(four, undo, named(addresses[4].ours));
    const second = await browserIn(six, undo, named(`[${addresses[6].ours}]`));
    const scene = { service, url: front.url };
    await meetIn([first, second], scene, "straight to the service (UDP)");
  }));
