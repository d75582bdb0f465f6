import type { MeetingPolls, Poll } from "@conclave/client";
import { Value } from "@conclave/client/pre-join";

const asked: Poll = {
  id: "poll-1",
  question: "When shall we meet next?",
  kind: "multiple",
  anonymous: false,
  results: "live",
  status: "open",
  created_by: "Ada Lovelace",
  created_at: "2026-01-01T00:00:00.000Z",
  closed_at: null,
  total_voters: 5,
  options: [
    { id: "a", label: "Monday", votes: 4, voters: ["Alan", "Grace", "Mary", "محمد"] },
    { id: "b", label: "Tuesday, but only after the review of the quarter", votes: 2 },
    { id: "c", label: "Friday", votes: 0 },
  ],
  voted: true,
  final: false,
  choice: ["a"],
};

/** Fake polls. */
export function fakePolls(): MeetingPolls {
  const list = new Value<readonly Poll[]>([
    asked,
    {
      ...asked,
      id: "poll-2",
      question: "Is the plan realistic?",
      kind: "single",
      anonymous: true,
      status: "closed",
      closed_at: "2026-01-01T00:05:00.000Z",
      options: [
        { id: "yes", label: "Yes", votes: 2 },
        { id: "no", label: "No", votes: 3 },
      ],
      choice: ["yes"],
    },
  ]);
  const nothing = async () => {};
  return {
    list,
    vote: async (id, choice) =>
      list.update((polls) => polls.map((poll) => (poll.id === id ? { ...poll, choice } : poll))),
    ask: nothing,
    close: nothing,
    reopen: nothing,
    delete: nothing,
  };
}
