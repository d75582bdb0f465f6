import { afterEach, expect, test } from "vitest";
import { Balancer } from "./balancer";
import { type Undo, undoAll } from "./namespace";
import { sharedSettings } from "./nodes";
import { closePeople, openBrowser, Person, part } from "./people";
import { ServiceUnderTest } from "./service";

const undo: Undo = [];
afterEach(() => undoAll(undo));

test("a meeting goes on while its node is replaced by another one, twice", async (context) => {
  const balancer = await Balancer.open();
  undo.push(() => balancer.close());
  const settings = await sharedSettings(context, balancer.url, undo);
  const browser = await openBrowser();
  undo.push(
    () => browser.close(),
    () => closePeople(browser, context),
  );
  const begin = async () => {
    const node = await ServiceUnderTest.start(async () => settings);
    undo.push(() => node.stop());
    await balancer.add(node.ports.http);
    return node;
  };

  // Sound and pictures are on this node too, because there is no other one yet.
  let serving = await begin();
  const room = await serving.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  const bob = await Person.in(browser, "Bob", room.url);
  const people = [ada, bob];
  const meet = () => Promise.all([ada.sees("Bob"), bob.sees("Ada"), ada.hears(), bob.hears()]);
  await meet();
  const opened = () =>
    Promise.all(people.map(({ page }) => page.evaluate(() => performance.timeOrigin)));
  const before = await opened();

  for (let replaced = 0; replaced < 2; replaced += 1) {
    const next = await begin();
    await serving.stop();
    expect(balancer.ready).toBe(next.ports.http);
    serving = next;
    await meet();
  }
  expect(await opened()).toEqual(before);
  const happened = await serving.happened(room);
  expect(happened.filter((event) => event.startsWith("participant."))).toEqual([
    ...["participant.joined", "participant.joined"],
  ]);
  await part(...people);
});
