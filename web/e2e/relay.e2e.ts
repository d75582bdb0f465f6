import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, Person, soon } from "./people";
import { ServiceUnderTest } from "./service";
import { TlsEnd } from "./tls-end";

let browser: Browser;
let service: ServiceUnderTest;
let front: TlsEnd;

beforeAll(async () => {
  front = await TlsEnd.open();
  [browser, service] = await Promise.all([
    openBrowser(["--ignore-certificate-errors"]),
    ServiceUnderTest.start(async () => ["--public-url", front.url, "--turn-tls", "on"]),
  ]);
  front.service = service.ports.http;
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  front?.close();
});

/** Keeps a page from every way but the service's relay, as a network does that passes only HTTPS. */
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
