import { expect, test } from "vitest";
import { openBrowser, Person, soon } from "./people";
import { ServiceUnderTest } from "./service";

test("where TLS ends in the service, a page meets others over the connection that it has", async () => {
  const service = await ServiceUnderTest.startWithTls("127.0.0.1");
  const browser = await openBrowser({ flags: ["--ignore-certificate-errors"] });
  try {
    const room = await service.makeRoom();
    const ada = await Person.in(browser, "Ada", room.url);
    const bob = await Person.at(browser, "Bob", room.url);
    const session = await bob.page.context().newCDPSession(bob.page);
    const answered = new Promise<number>((resolve) => {
      session.on("Network.webSocketHandshakeResponseReceived", ({ response }) =>
        resolve(response.status),
      );
    });
    await session.send("Network.enable");
    await bob.join();
    // HTTP/2 answers a WebSocket with 200 (RFC 8441), HTTP/1.1 with 101.
    expect(await answered).toBe(200);
    await Promise.all([ada.sees("Bob"), bob.sees("Ada"), ada.hears(), bob.hears()]);

    await service.kill();
    await service.up();
    await Promise.all([ada.sees("Bob"), bob.sees("Ada")]);
    expect(await service.happened(room)).not.toContain("participant.left disconnected");

    // The last message of a page that is closed arrives before the end of its stream.
    await bob.page.close();
    await expect.poll(() => service.happened(room), soon).toContain("participant.left left");
    await Promise.all([ada, bob].map((person) => person.close()));
  } finally {
    await browser.close();
    await service.stop();
  }
});
