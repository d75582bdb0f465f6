import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, Person, part, soon } from "./people";
import { freePort, ServiceUnderTest } from "./service";
import { TlsEnd } from "./tls-end";

let browser: Browser;
let service: ServiceUnderTest;
let front: TlsEnd;

beforeAll(async () => {
  front = await TlsEnd.open();
  [browser, service] = await Promise.all([
    openBrowser({ flags: ["--ignore-certificate-errors"] }),
    ServiceUnderTest.start(async () => ["--public-url", front.url, "--turn-tls", "on"]),
  ]);
  front.service = service.ports.http;
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  front?.close();
});

/** Leaves a page only the way through the service's relay, as a network of HTTPS alone does. */
async function onlyRelay(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const Original = window.RTCPeerConnection;
    window.RTCPeerConnection = class extends Original {
      constructor(configuration?: RTCConfiguration) {
        super({ ...configuration, iceTransportPolicy: "relay" });
      }
      override setConfiguration(configuration?: RTCConfiguration): void {
        super.setConfiguration({ ...configuration, iceTransportPolicy: "relay" });
      }
    };
  });
}

test("people on a network that passes only HTTPS meet, and see which way they take", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url, { prepare: onlyRelay });
  const bob = await Person.in(browser, "Bob", room.url);
  await Promise.all([ada.sees("Bob"), bob.sees("Ada"), ada.hears(), bob.hears()]);

  const hers = await ada.openPanel("Info");
  await hers.getByText("through the port of the page (TURN over TLS)").waitFor(soon);
  const his = await bob.openPanel("Info");
  await his.getByText("straight to the service (UDP)").waitFor(soon);

  expect([...ada.complaints, ...bob.complaints]).toEqual([]);
  await Promise.all([ada.close(), bob.close()]);
});

const outcome = (page: Page, step: string) =>
  page.getByRole("listitem").filter({ hasText: step }).locator(".connection-test-outcome");

test("a visitor tests the connection from the page before a meeting", async () => {
  const room = await service.makeRoom();
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(room.url);
  const [tested] = await Promise.all([
    context.waitForEvent("page"),
    page.getByRole("link", { name: "Test connection" }).click(),
  ]);
  await tested.getByText("Meetings work well from here.").waitFor(soon);
  const steps = [
    ["Reach the service", /^Works, \d+ ms$/],
    ["Open a WebSocket", /^Works, \d+ ms$/],
    ["Sound and pictures over UDP", /^Works, \d+ ms$/],
    ["Sound and pictures over TCP", /^Not offered by this service$/],
    ["Through the relay (TURN over UDP)", /^Not offered by this service$/],
    ["Through the port of the page (TURN over TLS)", /^Works, \d+ ms$/],
  ] as const;
  for (const [step, want] of steps) {
    expect(await outcome(tested, step).textContent(), step).toMatch(want);
  }
  await context.close();
});

test("a connection test names the step that fails, and what to do", async () => {
  const room = await service.makeRoom();
  const context = await browser.newContext();

  const onlyHttps = await context.newPage();
  await onlyRelay(onlyHttps);
  await onlyHttps.goto(`${service.url}/connection#room=${room.code}`);
  await onlyHttps.getByText("Meetings work from here, through the port of the page.").waitFor(soon);
  await onlyHttps.getByText("Ask the people who run this network to allow UDP to").waitFor();
  expect(await outcome(onlyHttps, "over UDP").first().textContent()).toBe("Does not work");

  const noSockets = await context.newPage();
  await noSockets.routeWebSocket(/\/rtc/, (socket) => socket.close({ code: 1011 }));
  await noSockets.goto(`${service.url}/connection#room=${room.code}`);
  await noSockets.getByText("Meetings do not work from here: WebSockets are blocked.").waitFor();
  expect(await outcome(noSockets, "over TCP").textContent()).toBe("Not tried");

  const stranger = await context.newPage();
  await stranger.goto(`${service.url}/connection`);
  await stranger.getByText("Open the connection test from the page of a room").waitFor();
  await context.close();
});

test("people meet through the relay over UDP, and the connection test finds it", async () => {
  const turn = await freePort("udp");
  const relaying = await ServiceUnderTest.start(async () => ["--turn-udp-port", String(turn)]);
  try {
    const room = await relaying.makeRoom();
    const ada = await Person.in(browser, "Ada", room.url, { prepare: onlyRelay });
    const bob = await Person.in(browser, "Bob", room.url, { prepare: onlyRelay });
    await Promise.all([ada.sees("Bob"), bob.sees("Ada"), ada.hears(), bob.hears()]);
    for (const person of [ada, bob]) {
      const info = await person.openPanel("Info");
      await info.getByText("through the service's relay (TURN over UDP)").waitFor(soon);
    }
    await part(ada, bob);

    const context = await browser.newContext();
    const page = await context.newPage();
    await onlyRelay(page);
    await page.goto(`${relaying.url}/connection#room=${room.code}`);
    await page.getByText("Meetings work from here, through the relay.").waitFor(soon);
    const steps = [
      ["Sound and pictures over UDP", /^Does not work$/],
      ["Through the relay (TURN over UDP)", /^Works, \d+ ms$/],
      ["Through the port of the page (TURN over TLS)", /^Not offered by this service$/],
    ] as const;
    for (const [step, want] of steps) {
      expect(await outcome(page, step).textContent(), step).toMatch(want);
    }
    await context.close();
  } finally {
    await relaying.stop();
  }
});
