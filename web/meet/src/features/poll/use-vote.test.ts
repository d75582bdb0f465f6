import type { Poll } from "@conclave/client";
import { createElement } from "react";
import { expect, test } from "vitest";
import { live } from "../../../dev/live-page";
import { useVote } from "./use-vote";

const poll: Poll = {
  id: "p",
  question: "Tea?",
  kind: "single",
  anonymous: false,
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

const submit = { preventDefault: () => {} };

/** A person at a poll. The service answers a vote when the test says so. */
async function voter() {
  const votes: (readonly string[])[] = [];
  let answer: Record<"count" | "fail", (error: Error) => void> | null = null;
  const onVote = (choice: readonly string[]) => {
    votes.push(choice);
    return new Promise<void>((count, fail) => {
      answer = { count: () => count(), fail };
    });
  };
  let drawn: ReturnType<typeof useVote> | null = null;
  const Card = () => {
    drawn = useVote(poll, onVote);
    return null;
  };
  const change = await live(createElement(Card));
  const now = () => {
    if (drawn === null) throw new Error("nothing was drawn");
    return drawn;
  };
  let voting = Promise.resolve();
  const answered = (how: "count" | "fail") =>
    change(() => {
      answer?.[how](new Error("the network is gone"));
      return voting;
    });
  const vote = () =>
    change(() => {
      voting = now().vote(submit);
    });
  const pick = (id: string) => change(() => now().pick(id, true));
  return { now, votes, pick, vote, answered };
}

/** Loading React for a browser takes long on a busy machine. */
const patient = { timeout: 60_000 };

test("what a person picks while their vote is on its way stays picked", patient, async () => {
  const { now, pick, vote, votes, answered } = await voter();
  await pick("yes");
  await vote();
  await pick("no");
  await answered("count");
  expect([now().shown, now().isChanged]).toEqual([["no"], true]);
  await vote();
  await answered("count");
  expect(votes).toEqual([["yes"], ["no"]]);
  expect(now().isChanged).toBe(false);
});

test("a vote that failed stays picked, and says so", patient, async () => {
  const { now, pick, vote, answered } = await voter();
  await pick("yes");
  await vote();
  await answered("fail");
  expect([now().shown, now().isChanged]).toEqual([["yes"], true]);
  expect(now().problem).toMatch(/vote/i);
});
