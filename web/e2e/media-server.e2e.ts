import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { heard, say } from "./chatting";
import { openBrowser, Person, soon } from "./people";
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

/** Watches a person's tile; returns a function that says whether it ever disappeared. */
async function watches(person: Person, name: string): Promise<() => Promise<boolean>> {
  const tile = await person.tile(name).elementHandle();
  const watch = await tile?.evaluateHandle((element) => {
    const label = element.getAttribute("aria-label") ?? "";
    const seen = { gone: label === "" };
    const look = () => {
      if (!document.querySelector(`[aria-label="${label}"]`)) seen.gone = true;
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
    return seen;
  });
  return async () => (await watch?.jsonValue())?.gone ?? true;
}

test("the media server dies in a meeting: people see each other again, and nobody was gone", async () => {
  const room = await service.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  const bob = await Person.in(browser, "Bob", room.url);
  await Promise.all([ada.sees("Bob"), bob.sees("Ada")]);
  await expect.poll(async () => (await service.participants(room)).length, soon).toBe(2);
  const before = await service.happened(room);
  const [bobGone, adaGone] = [await watches(ada, "Bob"), await watches(bob, "Ada")];

  const backAgain = await Promise.all([ada.seesAnew("Bob"), bob.seesAnew("Ada")]);
  for (const person of [ada, bob]) await person.openPanel("Chat");
  service.killMediaServer();
  await say(ada, "Are you still there?");
  await Promise.all(backAgain.map((isBack) => isBack()));
  await say(bob, "Now I am");
  await heard(bob, "Are you still there?").waitFor(soon);
  await heard(ada, "Now I am").waitFor(soon);
  await Promise.all([ada.hears(), bob.hears()]);
  for (const person of [ada, bob]) {
    await person.told("Reconnecting...").waitFor({ ...soon, state: "detached" });
  }
  await expect.poll(async () => (await service.participants(room)).length, soon).toBe(2);

  expect(await service.happened(room)).toEqual(before);
  expect([await bobGone(), await adaGone()]).toEqual([false, false]);

  // Bob gets again what he was sent, and Cleo does not, who came later.
  const cleo = await Person.in(browser, "Cleo", room.url);
  await cleo.openPanel("Chat");
  await say(ada, "Welcome, Cleo");
  await heard(cleo, "Welcome, Cleo").waitFor(soon);
  await bob.page.reload();
  await bob.join();
  await bob.openPanel("Chat");
  for (const text of ["Are you still there?", "Welcome, Cleo"])
    await heard(bob, text).waitFor(soon);
  expect(await heard(cleo, "Are you still there?").count()).toBe(0);
  await Promise.all([ada.close(), bob.close(), cleo.close()]);
});
