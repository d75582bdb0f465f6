import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { createServer, type ViteDevServer } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, Person, soon } from "./people";
import { ServiceUnderTest } from "./service";

let browser: Browser;
let service: ServiceUnderTest;
let site: ViteDevServer;
let siteUrl: string;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
  site = await createServer({
    root: fileURLToPath(new URL("./custom", import.meta.url)),
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["conclave-source", "module", "browser", "development|production"] },
    optimizeDeps: { include: ["livekit-client"] },
    server: { port: 0, host: "localhost", proxy: { "/meet/v1": service.url } },
  });
  await site.listen();
  siteUrl = site.resolvedUrls?.local[0] ?? "";
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
  await service?.stop();
});

test("a custom interface joins with a media token of the API", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  const credentials = await service.call<Credentials>("POST", `/rooms/${room.id}/tokens`, {
    name: "Kit",
    user_id: "kit-7",
    role: "host",
  });
  const kit = await Person.at(browser, "Kit", siteUrl);
  await kit.page.waitForFunction(() => typeof window.enter === "function");
  await kit.page.evaluate((given) => window.enter(given), credentials);
  await Promise.all([ada.sees("Kit"), kit.sees("Ada"), ada.hears()]);

  await kit.page.evaluate(() => window.meeting.sendChat("From an interface of my own"));
  const chat = await ada.openPanel("Chat");
  await chat.getByRole("log").getByText("From an interface of my own").waitFor(soon);
  await kit.page.evaluate(() => window.meeting.raiseHand(true));
  await ada.tile("Kit").getByRole("img", { name: "Hand raised" }).waitFor(soon);
  const people = await service.participants(room);
  expect(people.find(({ name }) => name === "Kit")).toMatchObject({
    role: "host",
    hand_raised: true,
  });
  expect(people.find(({ name }) => name === "Kit")?.identity).toMatch(/^api_kit-7\./);
  await kit.page.evaluate(() => window.meeting.leave());
  await expect.poll(() => ada.tile("Kit").count(), soon).toBe(0);
  await Promise.all([ada.close(), kit.close()]);
});

test("a custom interface follows its person into a breakout room and back", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  const credentials = await service.call<Credentials>("POST", `/rooms/${room.id}/tokens`, {
    name: "Kit",
    user_id: "kit-8",
  });
  const kit = await Person.at(browser, "Kit", siteUrl);
  await kit.page.waitForFunction(() => typeof window.enter === "function");
  await kit.page.evaluate((given) => window.enter(given), credentials);
  await Promise.all([ada.sees("Kit"), kit.sees("Ada")]);
  const says = (text: string) => kit.page.getByText(text, { exact: true }).waitFor();
  await says("Main room");

  await service.call("POST", `/rooms/${room.id}/breakouts`, {
    rooms: ["Attic", "Cellar"],
    assign: "manual",
    placements: [{ participant: "api_kit-8", room: 0 }],
    auto_join: false,
  });
  await kit.page.getByRole("button", { name: "Join Attic" }).click();
  await says("Attic");
  await expect.poll(() => kit.page.getByRole("group", { name: "Ada" }).count(), soon).toBe(0);
  const people = await service.participants(room);
  await service.call("POST", `/rooms/${room.id}/breakouts/assignments`, {
    participant: people.find(({ name }) => name === "Ada")?.identity,
    breakout_id: await kit.page.evaluate(
      () => window.meeting.breakouts.whereabouts.get().breakoutId,
    ),
  });
  // Ada accepts the invitation, and the announcement reaches this room.
  await ada.told("A host has given you a room").getByRole("button", { name: "Join Attic" }).click();
  await Promise.all([ada.sees("Kit"), kit.sees("Ada"), ada.hears()]);
  await service.call("POST", `/rooms/${room.id}/breakouts/announce`, { message: "Two minutes" });
  await kit.told("Two minutes").waitFor();
  await service.call("POST", `/rooms/${room.id}/breakouts/end`, { warn: true });
  await kit.page.getByText(/^Rooms close in \d+ s$/).waitFor();
  await kit.page.getByRole("button", { name: "Return to main room" }).click();
  await says("Main room");
  await service.call("POST", `/rooms/${room.id}/breakouts/end`);
  await Promise.all([ada.sees("Kit"), kit.sees("Ada")]);
  await Promise.all([ada.close(), kit.close()]);
});

interface Credentials {
  readonly server_url: string;
  readonly token: string;
  readonly e2ee_passphrase: string;
}
