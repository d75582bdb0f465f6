import { expect, test } from "vitest";
import { browserId } from "./browser-id.js";
import { browserClock, type Clock } from "./clock.js";
import { Polls } from "./polls.js";
import { forgetful, type KeyValueStore } from "./preferences.js";
import { Service } from "./service.js";
import { HandClock } from "./testing/hand-clock.js";
import { Mailbox } from "./testing/mailbox.js";
import type { Poll } from "./wire.js";

const poll: Poll = {
  id: "p",
  question: "Tea?",
  kind: "single",
  anonymous: true,
  results: "live",
  status: "open",
  created_by: "API",
  created_at: "2026-01-01T00:00:00.000Z",
  closed_at: null,
  total_voters: 0,
  options: [
    { id: "yes", label: "yes", votes: 0 },
    { id: "no", label: "no", votes: 0 },
  ],
  voted: false,
  final: false,
};

function storeOf(map = new Map<string, string>()): KeyValueStore {
  return {
    getItem: (key) => map.get(key) ?? null,
    setItem: (key, value) => void map.set(key, value),
    removeItem: (key) => void map.delete(key),
  };
}

interface PersonOptions {
  /** The service's answer to a vote. */
  readonly answer: Poll | Promise<Poll> | (() => Promise<Poll>);
  readonly room: string | null;
  /** The current time, in days. */
  readonly day: number;
  readonly clock: Clock;
}

/** Rejects when the request is given up. */
function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(new Error("aborted")));
  });
}

/** A person with polls, and the requests they send. */
function person(
  identity: string,
  store: KeyValueStore,
  { answer = { ...poll, voted: true }, room = "r", day = 0, clock }: Partial<PersonOptions> = {},
) {
  const sent: Record<string, unknown>[] = [];
  const service = new Service({
    baseUrl: "https://meet.example.com",
    fetch: async (_, init) => {
      sent.push(JSON.parse(String(init?.body)) as Record<string, unknown>);
      const answered = typeof answer === "function" ? answer() : answer;
      return Response.json(await Promise.race([answered, aborted(init?.signal)]));
    },
  });
  const polls = new Polls({
    service,
    ticket: "t",
    identity,
    store,
    clock: clock ?? { ...browserClock, now: () => day * 24 * 60 * 60 * 1000 },
    room: () => room,
  });
  return { polls, sent, first: () => polls.list.get()[0] };
}

test("an anonymous vote carries a receipt, and a change of it carries the same one", async () => {
  const store = storeOf();
  const ada = person("guest_ada.one", store);
  ada.polls.take([poll]);
  await ada.polls.vote("p", ["yes"]);
  await ada.polls.vote("p", ["no"]);
  expect(ada.sent[0]).toEqual({ options: ["yes"], receipt: expect.stringMatching(/^[\w-]{43}$/) });
  expect(ada.sent[1]).toEqual({ options: ["no"], receipt: ada.sent[0]?.["receipt"] });

  // After a reload too. Only the device remembers which answers were picked.
  const reloaded = person("guest_ada.one", store);
  reloaded.polls.take([{ ...poll, voted: true }]);
  expect(reloaded.first()?.choice).toEqual(["no"]);
  await reloaded.polls.vote("p", ["yes"]);
  expect(reloaded.sent[0]?.["receipt"]).toBe(ada.sent[0]?.["receipt"]);

  // Another person at the same browser does not see them.
  const bob = person("guest_bob.two", store);
  bob.polls.take([{ ...poll, voted: true }]);
  expect(bob.first()?.choice).toBeUndefined();
});

test("every poll has a receipt of its own", async () => {
  const ada = person("guest_ada.one", storeOf());
  ada.polls.take([poll, { ...poll, id: "q" }]);
  await ada.polls.vote("p", ["yes"]);
  await ada.polls.vote("q", ["yes"]);
  expect(ada.sent[0]?.["receipt"]).not.toBe(ada.sent[1]?.["receipt"]);
});

test("a named vote carries no receipt, and the service remembers the answers", async () => {
  const answer = { ...poll, anonymous: false, voted: true, choice: ["yes"] };
  const ada = person("guest_ada.one", storeOf(), { answer });
  ada.polls.take([{ ...poll, anonymous: false }]);
  await ada.polls.vote("p", ["yes"]);
  expect(ada.sent).toEqual([{ options: ["yes"] }]);
  expect(ada.first()?.choice).toEqual(["yes"]);
});

test("a counted vote is forgotten on this device too", async () => {
  const kept = new Map<string, string>();
  const ada = person("guest_ada.one", storeOf(kept));
  ada.polls.take([poll]);
  await ada.polls.vote("p", ["yes"]);
  expect(kept.size).toBe(1);
  ada.polls.take([{ ...poll, voted: true, final: true }]);
  expect(ada.first()?.choice).toBeUndefined();
  expect(kept.size).toBe(0);
});

/** A device on which Ada has voted in poll p of room r, and then left. */
async function deviceWithVote() {
  const kept = new Map<string, string>();
  const ada = person("guest_ada.one", storeOf(kept));
  ada.polls.take([poll]);
  await ada.polls.vote("p", ["yes"]);
  const later = (options: Partial<PersonOptions>, ...shown: Poll[]) => {
    person("guest_ada.one", storeOf(kept), options).polls.take(shown);
    return JSON.stringify([...kept]);
  };
  return { later };
}

const other: Poll = { ...poll, id: "q" };

test.each<[string, Partial<PersonOptions>, ...Poll[]]>([
  ["was closed", {}, { ...poll, voted: true, status: "closed" }],
  ["was closed and opened again", {}, { ...poll, voted: true, final: true }],
  ["was deleted, or is not shown any more", {}, other],
  ["was deleted, and there is no other", {}],
  ["is of another room and was not heard of for a month", { room: "s", day: 31 }],
])("a vote is forgotten if its poll %s while its voter was away", async (_, options, ...shown) => {
  const device = await deviceWithVote();
  expect(device.later(options, ...shown)).not.toMatch(/receipt|yes/);
});

test.each<[string, Partial<PersonOptions>, ...Poll[]]>([
  ["is open", {}, { ...poll, voted: true }],
  ["is open, however long", { day: 100 }, { ...poll, voted: true }],
  ["is of another room", { room: "s", day: 29 }, other],
  ["is of a room that is not known yet", { room: null }],
  ["may not fit the list", {}, ...Array.from({ length: 30 }, (_, n) => ({ ...poll, id: `${n}` }))],
])("a vote is remembered if its poll %s", async (_, options, ...shown) => {
  const device = await deviceWithVote();
  expect(device.later(options, ...shown)).toMatch(/receipt.*yes/);
});

test("a vote is not remembered if its poll was closed before the answer came", async () => {
  const kept = new Map<string, string>();
  let say: (answer: Poll) => void = () => {};
  const answer = new Promise<Poll>((resolve) => {
    say = resolve;
  });
  const ada = person("guest_ada.one", storeOf(kept), { answer });
  ada.polls.take([poll]);
  const voted = ada.polls.vote("p", ["yes"]);
  ada.polls.take([{ ...poll, voted: true, final: true, status: "closed" }]);
  say({ ...poll, voted: true });
  await voted;
  expect(kept.size).toBe(0);
});

/** A person whose vote is on its way; the service answers when the test says so. */
function voting(shown: Poll) {
  let say: (answer: Poll) => void = () => {};
  const answer = new Promise<Poll>((resolve) => {
    say = resolve;
  });
  const ada = person("guest_ada.one", storeOf(), { answer });
  ada.polls.take([shown]);
  const voted = ada.polls.vote("p", ["yes"]);
  const answered = async (theirs: Poll) => {
    say(theirs);
    await voted;
    return ada.first();
  };
  return { polls: ada.polls, answered };
}

const named: Poll = { ...poll, anonymous: false };

test("an answer older than the stream's last event neither reopens the poll nor removes votes", async () => {
  const { polls, answered } = voting(named);
  const closed: Poll = {
    ...{ ...named, status: "closed", voted: true, total_voters: 2, choice: ["yes"] },
    closed_at: "2026-01-01T00:01:00.000Z",
  };
  polls.take([closed]);
  const answer: Poll = { ...named, voted: true, total_voters: 1, choice: ["yes"] };
  expect(await answered(answer)).toEqual(closed);
});

test.each([true, false])(
  "a vote is shown as given, though the stream told of others' meanwhile (anonymous: %s)",
  async (anonymous) => {
    const { polls, answered } = voting({ ...poll, anonymous });
    const others: Poll = { ...poll, anonymous, total_voters: 7 };
    polls.take([others]);
    const choice = anonymous ? {} : { choice: ["yes"] };
    const answer: Poll = { ...poll, anonymous, voted: true, total_voters: 3, ...choice };
    expect(await answered(answer)).toEqual({ ...others, voted: true, choice: ["yes"] });
  },
);

test("a changed vote is sent after the one before it, so that it is the one that counts", async () => {
  const asked = new Mailbox<(answer: Poll) => void>();
  const ada = person("guest_ada.one", storeOf(), {
    answer: () => new Promise<Poll>((resolve) => asked.put(resolve)),
  });
  ada.polls.take([poll]);
  const votes = [ada.polls.vote("p", ["yes"]), ada.polls.vote("p", ["no"])];
  const first = await asked.next();
  expect(ada.sent.map(({ options }) => options)).toEqual([["yes"]]);
  first({ ...poll, voted: true });
  await votes[0];
  expect(ada.first()?.choice).toEqual(["yes"]);
  (await asked.next())({ ...poll, voted: true });
  await votes[1];
  expect(ada.sent.map(({ options }) => options)).toEqual([["yes"], ["no"]]);
  expect(ada.first()?.choice).toEqual(["no"]);
});

test("a vote that was counted is remembered, even if the change of it fails", async () => {
  const answers = [Promise.resolve({ ...poll, voted: true }), Promise.reject(new Error("gone"))];
  const ada = person("guest_ada.one", storeOf(), {
    answer: () => answers.shift() ?? Promise.resolve(poll),
  });
  ada.polls.take([poll]);
  const votes = [ada.polls.vote("p", ["yes"]), ada.polls.vote("p", ["no"])];
  await votes[0];
  await expect(votes[1]).rejects.toMatchObject({ code: "network" });
  expect(ada.first()?.choice).toEqual(["yes"]);
});

test("a vote on a dead line fails after ten seconds, and is cast again with the same receipt", async () => {
  const clock = new HandClock();
  const answers = [new Promise<Poll>(() => {}), Promise.resolve({ ...poll, voted: true })];
  const ada = person("guest_ada.one", storeOf(), {
    clock,
    answer: () => answers.shift() ?? Promise.resolve(poll),
  });
  ada.polls.take([poll]);
  const failed = expect(ada.polls.vote("p", ["yes"])).rejects.toMatchObject({ code: "network" });
  await clock.started(1, 10_000);
  clock.pass(10_000);
  await failed;
  await ada.polls.vote("p", ["yes"]);
  expect(ada.first()?.choice).toEqual(["yes"]);
  expect(ada.sent[1]).toEqual(ada.sent[0]);
});

test("without storage, a vote can be changed for as long as the page is open", async () => {
  const ada = person("guest_ada.one", forgetful);
  ada.polls.take([poll]);
  await ada.polls.vote("p", ["yes"]);
  await ada.polls.vote("p", ["no"]);
  expect(ada.sent[0]?.["receipt"]).toBe(ada.sent[1]?.["receipt"]);
  expect(ada.first()?.choice).toEqual(["no"]);
});

test("an event from before the vote does not take it back", async () => {
  const ada = person("guest_ada.one", storeOf());
  ada.polls.take([poll]);
  await ada.polls.vote("p", ["yes"]);
  ada.polls.take([poll]);
  expect(ada.first()).toMatchObject({ voted: true, choice: ["yes"] });
  ada.polls.take([]);
  expect(ada.polls.list.get()).toEqual([]);
});

test("a browser is recognised by one random text, and not at all without storage", () => {
  const store = storeOf();
  const id = browserId(store);
  expect(id).toMatch(/^[\w-]{43}$/);
  expect(browserId(store)).toBe(id);
  expect(browserId({ ...store, getItem: () => null })).toBeNull();
});
