import type { NewPoll } from "@conclave/client";
import { Value } from "@conclave/client/pre-join";
import { expect, test } from "vitest";
import { type Draft, emptyDraft } from "./draft";
import { startPoll } from "./start-poll";

/** A poll on its way to the service, which answers when the test says so. */
function onItsWay() {
  const draft = new Value<Draft | null>({ ...emptyDraft, question: "Now?" });
  let answer = () => {};
  let refuse = () => {};
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      answer = resolve;
      refuse = () => reject(new Error("refused"));
    });
  const started = startPoll({ ask }, draft, {} as NewPoll);
  return { draft, started, answer: () => answer(), refuse: () => refuse() };
}

test("the draft of a started poll goes, also if it was changed meanwhile", async () => {
  const { draft, started, answer } = onItsWay();
  draft.set({ ...emptyDraft, question: "Now or later?" });
  answer();
  await started;
  expect(draft.get()).toBeNull();
});

test("the draft of a refused poll stays", async () => {
  const { draft, started, refuse } = onItsWay();
  refuse();
  await expect(started).rejects.toThrow("refused");
  expect(draft.get()?.question).toBe("Now?");
});

test("a late answer to a cancelled poll does not take the next draft away", async () => {
  const { draft, started, answer } = onItsWay();
  draft.set(null);
  draft.set({ ...emptyDraft, question: "Next?" });
  answer();
  await started;
  expect(draft.get()?.question).toBe("Next?");
});
