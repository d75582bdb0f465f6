import type { Browser } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { isIn, openBreakouts } from "./breakout-rooms";
import { heard, say } from "./chatting";
import { openBrowser, Person, part, soon } from "./people";
import { SecretWatch } from "./secret-watch";
import { ServiceUnderTest } from "./service";

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function tell(from: Person, text: string, ...to: Person[]): Promise<void> {
  await say(from, text);
  for (const one of to) {
    await one.openPanel("Chat");
    await heard(one, text).waitFor(soon);
  }
}

async function react(from: Person, to: Person): Promise<void> {
  await from.control("React").click();
  await from.page.getByRole("menuitem", { name: "🎉" }).click();
  await to.tile(from.name).getByText("🎉").waitFor(soon);
}

test("a search finds no key and no message in what the service keeps, writes and passes on", async () => {
  const room = await service.makeRoom({ encryption: "strict" });
  const watch = new SecretWatch(service);
  const secretPart = watch.newLinkSecret();
  const hostLink = `${await service.invite(room, "Hedwig", "host")}&${secretPart}`;
  const line = await watch.line();
  const hedwig = await Person.in(browser, "Hedwig", hostLink, { line });
  const link = `${room.url}#${secretPart}`;
  const roberta = await Person.in(browser, "Roberta", link, { line: await watch.line() });
  await Promise.all([hedwig.sees("Roberta"), roberta.sees("Hedwig"), hedwig.hears()]);
  const [together, apart, anew] = [watch.newText("A"), watch.newText("B"), watch.newText("C")];
  await tell(hedwig, together, roberta);
  await react(roberta, hedwig);

  const session = await openBreakouts(
    ...[service, room, { Hedwig: 0, Roberta: 0 }, { auto_join: true }],
  );
  const name = session.rooms[0]?.name ?? "";
  await Promise.all([isIn(hedwig, name), isIn(roberta, name)]);
  await Promise.all([hedwig.sees("Roberta"), roberta.sees("Hedwig")]);
  await tell(roberta, apart, hedwig);
  await service.call("POST", `/rooms/${room.id}/breakouts/end`, { warn: false });
  await Promise.all([hedwig.sees("Roberta"), roberta.sees("Hedwig")]);

  await roberta.page.reload();
  await roberta.join();
  await Promise.all([hedwig.sees("Roberta"), roberta.sees("Hedwig")]);
  await tell(roberta, anew, hedwig);
  await watch.look();
  await part(hedwig, roberta);
  await watch.expectNothing("Roberta");
});
