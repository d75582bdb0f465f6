import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isIn, openBreakouts } from "./breakout-rooms";
import { isWhollyShown, looksDangerous, middle, radioLook, textStart } from "./looks";
import { openBrowser, Person, part, soon } from "./people";
import { type Room, ServiceUnderTest } from "./service";

let browser: Browser;
let service: ServiceUnderTest;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const panelOf = (person: Person) => person.page.getByRole("complementary", { name: "Polls" });
const pollOf = (person: Person, question: string) =>
  panelOf(person).getByRole("article", { name: question });

interface ApiPoll {
  readonly id: string;
  readonly status: string;
  readonly created_by: string;
  readonly total_voters: number;
  readonly options: readonly { readonly label: string; readonly votes: number }[];
}

const askThroughApi = (room: Room, poll: object) =>
  service.call<ApiPoll>("POST", `/rooms/${room.id}/polls`, poll);

/** A host asks whether something is so, in the panel. `settings` fills in the rest of the form. */
async function askInPanel(
  host: Person,
  question: string,
  settings: (panel: Locator) => Promise<unknown>,
): Promise<void> {
  const panel = await host.openPanel("Polls");
  await panel.getByRole("button", { name: "New poll" }).click();
  await panel.getByRole("textbox", { name: "Question" }).fill(question);
  await panel.getByRole("textbox", { name: "Option 1" }).fill("yes");
  await panel.getByRole("textbox", { name: "Option 2" }).fill("no");
  await settings(panel);
  await panel.getByRole("button", { name: "Start poll" }).click();
}

async function counts(room: Room): Promise<string> {
  const { data } = await service.call<{ data: ApiPoll[] }>("GET", `/rooms/${room.id}/polls`);
  const [poll] = data;
  return poll ? `${poll.total_voters}: ${poll.options.map(({ votes }) => votes).join(" ")}` : "";
}

async function vote(poll: Locator, answer: string, role: "radio" | "checkbox" = "radio") {
  await poll.getByRole(role, { name: answer, exact: true }).check();
  await poll.getByRole("button", { name: "Vote" }).click();
  await poll.getByText("You have voted").waitFor(soon);
}

/** How two radio buttons look, of which the first is chosen. */
async function radioLooks(panel: Locator, chosen: string, other: string) {
  const radio = (name: string) => panel.getByRole("radio", { name, exact: true });
  expect(await radio(chosen).isChecked()).toBe(true);
  return { chosen: await radioLook(radio(chosen)), other: await radioLook(radio(other)) };
}

test("a host starts a poll, everybody votes, and everybody sees the counts", async () => {
  const room = await service.makeRoom();
  const host = await Person.in(browser, "Hedy", await service.invite(room, "Hedy", "host"));
  const guest = await Person.in(browser, "Bob", room.url);
  const others = await host.openPanel("Breakout rooms");
  const radios = await radioLooks(others, "Assign automatically", "Let people choose");
  const panel = await host.openPanel("Polls");
  await panel.getByRole("button", { name: "New poll" }).click();
  expect(await radioLooks(panel, "One answer", "Several answers")).toEqual(radios);
  await host.page.setViewportSize({ width: 1280, height: 800 });
  const start = panel.getByRole("button", { name: "Start poll" });
  expect(await isWhollyShown(start)).toBe(true);
  await start.click();
  expect(await panel.getByText("Fill this in.").count()).toBe(3);
  const add = panel.getByRole("button", { name: "Add option" });
  await add.click();
  // The cross stands beside the field, also when the field has a text below it.
  const first = panel.getByRole("textbox", { name: "Option 1" });
  expect(await first.getAttribute("aria-invalid")).toBe("true");
  const cross = panel.getByRole("button", { name: "Remove option 1" });
  expect(await middle(cross)).toBeCloseTo(await middle(first), 0);
  await panel.getByRole("button", { name: "Remove option 3" }).click();
  await panel.getByRole("textbox", { name: "Question" }).fill("When shall we meet?");
  await panel.getByRole("textbox", { name: "Option 1" }).fill("Monday");
  await panel.getByRole("textbox", { name: "Option 2" }).fill("Friday");
  // Escape closes the panel, and what was written is there when it opens again.
  await host.page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  const byHand = others.getByRole("radio", { name: "Assign by hand" });
  await host.openPanel("Breakout rooms");
  await byHand.check();
  await host.openPanel("Polls");
  expect(await panel.getByRole("textbox", { name: "Option 2" }).inputValue()).toBe("Friday");
  await host.openPanel("Breakout rooms");
  expect(await byHand.isChecked()).toBe(true);
  await host.openPanel("Polls");
  const label = panel.locator("label").first();
  const indent = async () => (await textStart(add)) - (await textStart(label));
  await expect.poll(indent, soon).toBeCloseTo(0, 0); // the panel slides in
  await add.click();
  await panel.getByRole("textbox", { name: "Option 3" }).fill("Never");
  await panel.getByRole("radio", { name: "Several answers" }).check();
  expect(await host.violations()).toEqual([]);
  expect(await isWhollyShown(start)).toBe(true);
  await start.click();

  // It pops up without taking the focus.
  const theirs = pollOf(guest, "When shall we meet?");
  await theirs.waitFor(soon);
  expect(await guest.page.evaluate(() => document.activeElement?.closest("aside"))).toBeNull();
  expect(await guest.violations()).toEqual([]);
  expect(await panelOf(guest).getByRole("button", { name: "New poll" }).count()).toBe(0);
  expect(await theirs.getByRole("button", { name: "Close poll" }).count()).toBe(0);
  await theirs.getByRole("checkbox", { name: "Friday" }).check();
  await vote(theirs, "Monday", "checkbox");
  const mine = pollOf(host, "When shall we meet?");
  await mine.getByText("1 person has voted.").waitFor(soon);
  // Hosts see who picked which answer.
  expect(await mine.getByText("Bob").count()).toBe(2);
  expect(await theirs.getByText("Picked by").count()).toBe(0);
  await vote(mine, "Monday", "checkbox");
  await theirs.getByText("2 votes, 100%").waitFor(soon);
  expect(await counts(room)).toBe("2: 2 1 0");

  // A vote can be changed until the poll is closed.
  await theirs.getByRole("checkbox", { name: "Monday" }).uncheck();
  await theirs.getByRole("button", { name: "Vote" }).click();
  // Monday loses a vote, Friday keeps one.
  await expect.poll(() => mine.getByText("1 vote, 50%").count(), soon).toBe(2);
  await mine.getByRole("button", { name: "Close poll" }).click();
  await theirs.getByText("This poll is closed.").waitFor(soon);
  expect(await theirs.getByRole("checkbox").count()).toBe(0);
  expect(await guest.violations()).toEqual([]);
  await mine.getByRole("button", { name: "Reopen poll" }).click();
  await theirs.getByRole("checkbox", { name: "Friday", checked: true }).waitFor(soon);
  const deleteIt = mine.getByRole("button", { name: "Delete poll" });
  expect(await looksDangerous(deleteIt)).toBe(true);
  await deleteIt.click();
  const question = host.page.getByRole("alertdialog", { name: "Delete this poll?" });
  await question.getByRole("button", { name: "Delete poll" }).click();
  await expect.poll(() => theirs.count(), soon).toBe(0);
  expect([...host.complaints, ...guest.complaints]).toEqual([]);
  await Promise.all([host.close(), guest.close()]);
});

/** A poll of the three, with results that the host chose; says whether the silent one and the voter see the counts. */
async function whoSees(room: Room, people: readonly Person[], results: string) {
  const question = `Tea, with results '${results}'?`;
  const [host] = people as [Person, ...Person[]];
  await askInPanel(host, question, (panel) =>
    panel.getByRole("combobox", { name: "Show results" }).selectOption(results),
  );
  const polls = people.map((who) => pollOf(who, question));
  const [mine, theirs, others] = polls as [Locator, Locator, Locator];
  await others.waitFor(soon);
  await vote(theirs, "yes");
  await mine.getByText("1 person has voted.").waitFor(soon);
  // Each event has all polls, so once the next poll is here, the counts would be too.
  const next = `And cake, with results '${results}'?`;
  await askThroughApi(room, { question: next, options: ["yes", "no"] });
  await Promise.all(people.map((who) => pollOf(who, next).waitFor(soon)));
  const sees = [others, theirs].map((seen) => seen.getByText("1 person has voted.").count());
  const isSeen = await Promise.all(sees);
  await mine.getByRole("button", { name: "Close poll" }).click();
  for (const seen of polls) {
    await seen.getByText("1 vote, 100%").waitFor(soon);
    await seen.getByText("This poll is closed.").waitFor(soon);
  }
  const [silent, voter] = isSeen.map((count) => count === 1);
  return { silent, voter };
}

test("a poll's results setting says who sees the counts before the poll closes", async () => {
  const room = await service.makeRoom();
  const host = await Person.in(browser, "Hedy", await service.invite(room, "Hedy", "host"));
  const voter = await Person.in(browser, "Bob", room.url);
  const silent = await Person.in(browser, "Cleo", room.url);
  const people = [host, voter, silent];
  const live = await whoSees(room, people, "While people vote");
  expect(live).toEqual({ silent: true, voter: true });
  const afterVoting = await whoSees(room, people, "After voting");
  expect(afterVoting).toEqual({ silent: false, voter: true });
  const whenClosed = await whoSees(room, people, "When the poll is closed");
  expect(whenClosed).toEqual({ silent: false, voter: false });
  await Promise.all(people.map((person) => person.close()));
});

test("an anonymous poll hides votes from hosts too, and counts everybody once", async () => {
  const room = await service.makeRoom();
  const host = await Person.in(browser, "Hedy", await service.invite(room, "Hedy", "host"));
  const guest = await Person.in(browser, "Bob", room.url);
  await askInPanel(host, "Is the boss right?", (panel) =>
    panel.getByRole("checkbox", { name: "Anonymous" }).check(),
  );
  const [mine, theirs] = [pollOf(host, "Is the boss right?"), pollOf(guest, "Is the boss right?")];
  await vote(theirs, "no");
  await mine.getByText("1 person has voted.").waitFor(soon);
  expect(await mine.getByText("Bob").count()).toBe(0);

  // After a reload they can still change their vote.
  await guest.page.reload();
  await guest.join();
  await theirs
    .or(guest.page.getByRole("button", { name: "Polls" }))
    .first()
    .waitFor(soon);
  await guest.openPanel("Polls");
  await theirs.getByRole("radio", { name: "no", checked: true }).waitFor(soon);
  await vote(theirs, "yes");
  await expect.poll(() => counts(room), soon).toBe("1: 1 0");

  // A person who leaves and comes back is still the same voter.
  await guest.control("Leave").click();
  await guest.page.getByRole("button", { name: "Rejoin" }).click();
  await guest.isInside();
  await guest.openPanel("Polls");
  await theirs.getByText("You have voted").waitFor(soon);
  await vote(theirs, "no");
  await expect.poll(() => counts(room), soon).toBe("1: 0 1");

  // A counted vote cannot be changed any more; others can still vote.
  await mine.getByRole("button", { name: "Close poll" }).click();
  await theirs.getByText("This poll is closed.").waitFor(soon);
  await mine.getByRole("button", { name: "Reopen poll" }).click();
  await theirs.getByText("cannot be changed any more").waitFor(soon);
  expect(await theirs.getByRole("radio").count()).toBe(0);
  await vote(mine, "yes");
  await expect.poll(() => counts(room), soon).toBe("2: 1 1");
  expect([...host.complaints, ...guest.complaints]).toEqual([]);
  await Promise.all([host.close(), guest.close()]);
});

test("a banner shows a new poll on a phone, and while another panel is open", async () => {
  const room = await service.makeWebinar();
  const phone = await Person.in(browser, "Bob", room.url, {
    viewport: { width: 360, height: 740 },
  });
  const reader = await Person.in(browser, "Cleo", room.url, { colorScheme: "dark" });
  const chat = await reader.openPanel("Chat");
  await chat.getByRole("textbox", { name: "Message" }).fill("I am just");
  await askThroughApi(room, { question: "Questions?", options: ["yes", "no"] });
  for (const person of [phone, reader]) {
    const banner = person.told("New poll");
    await banner.getByText("Questions?").waitFor(soon);
    expect(await panelOf(person).count()).toBe(0);
    expect(await person.violations()).toEqual([]);
    await banner.getByRole("button", { name: "View poll" }).click();
    await pollOf(person, "Questions?").waitFor(soon);
    await expect.poll(() => banner.count(), soon).toBe(0);
    expect(await person.violations()).toEqual([]);
  }
  // By keyboard alone. A webinar's audience votes too.
  const poll = pollOf(phone, "Questions?");
  await poll.getByRole("radio", { name: "yes" }).focus();
  await phone.page.keyboard.press("ArrowDown");
  await phone.page.keyboard.press("Tab");
  await phone.page.keyboard.press("Enter");
  await poll.getByText("You have voted").waitFor(soon);
  expect(await counts(room)).toBe("1: 0 1");
  await Promise.all([phone.close(), reader.close()]);
});

test("a poll reaches the people in every room, and their votes are counted together", async () => {
  const room = await service.makeRoom();
  const bob = await Person.in(browser, "Bob", room.url);
  const people = [bob, await Person.in(browser, "Cleo", room.url)];
  await expect.poll(async () => (await service.participants(room)).length, soon).toBe(2);
  await openBreakouts(service, room, { Bob: 0 });
  await isIn(bob, "Room 1");
  await service.call("POST", `/rooms/${room.id}/polls`, {
    question: "Tea or coffee?",
    options: ["Tea", "Coffee"],
  });
  for (const person of people) {
    const poll = person.page.getByRole("article", { name: "Tea or coffee?" });
    await poll.getByRole("radio", { name: "Tea" }).check();
    await poll.getByRole("button", { name: "Vote" }).click();
    await poll.getByText("You have voted").waitFor(soon);
  }
  const path = `/rooms/${room.id}/polls`;
  const { data } = await service.call<{ data: { total_voters: number }[] }>("GET", path);
  expect(data.map(({ total_voters }) => total_voters)).toEqual([2]);
  await part(...people);
});
