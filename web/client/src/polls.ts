import { AnswerOrder } from "./answer-order.js";
import type { Clock } from "./clock.js";
import { inTime } from "./connecting.js";
import { personOf } from "./identity.js";
import { type Observable, Value } from "./observable.js";
import type { KeyValueStore } from "./preferences.js";
import { canChange, Receipts } from "./receipts.js";
import type { Service } from "./service.js";
import { limits, type NewPoll, type Poll } from "./wire.js";

/** The limits of a poll (docs/reference/polls.md). */
export const pollLimits = {
  question: limits.pollQuestion,
  option: limits.pollOption,
  fewestOptions: limits.fewestPollOptions,
  mostOptions: limits.mostPollOptions,
} as const;

/** How long a vote may take, in milliseconds. After that the person is told, and can try again. */
const votePatience = 10_000;

export interface PollsOptions {
  readonly service: Service;
  readonly ticket: string;
  readonly identity: string;
  /** Keeps the receipts of anonymous votes after the page is closed. */
  readonly store: KeyValueStore;
  readonly clock: Clock;
  /** The id of the room; null until it is known. */
  readonly room: () => string | null;
}

/** The polls of a meeting as one person sees them, and what they may do with them. */
export class Polls {
  readonly #options: PollsOptions;
  readonly #receipts: Receipts;
  readonly #answerOrder = new AnswerOrder();
  /** By poll: the last vote, until the service has answered it. */
  readonly #voting = new Map<string, Promise<void>>();
  readonly #list = new Value<readonly Poll[]>([]);

  constructor(options: PollsOptions) {
    this.#options = options;
    this.#receipts = new Receipts({ ...options, person: personOf(options.identity) });
  }

  /** Newest first: the open ones, and those of the last 24 hours. */
  get list(): Observable<readonly Poll[]> {
    return this.#list;
  }

  /**
   * Votes, or changes the vote. The list has the vote when the promise resolves. A change waits for
   * the vote before it: requests overtake each other, and then the service would count the older
   * one, and in an anonymous poll nothing on this device would show that.
   */
  vote(pollId: string, choice: readonly string[]): Promise<void> {
    const before = this.#voting.get(pollId);
    const vote = () => this.#vote(pollId, choice);
    const voting = before === undefined ? vote() : before.then(vote, vote);
    this.#voting.set(pollId, voting);
    const done = () => {
      if (this.#voting.get(pollId) === voting) this.#voting.delete(pollId);
    };
    void voting.then(done, done);
    return voting;
  }

  async #vote(pollId: string, choice: readonly string[]): Promise<void> {
    const { service, ticket, clock } = this.#options;
    const isAnonymous = this.#list.get().some(({ id, anonymous }) => id === pollId && anonymous);
    const request = this.#answerOrder.sending(pollId);
    const ballot = {
      options: choice,
      ...(isAnonymous ? { receipt: this.#receipts.receiptFor(pollId) } : {}),
    };
    const answer = await inTime(clock, votePatience, (signal) =>
      service.vote(ticket, pollId, ballot, signal),
    );
    if (isAnonymous) this.#remember(pollId, choice);
    this.#list.update((polls) =>
      polls.map((told) => {
        if (told.id !== pollId) return told;
        return this.#withChoice(request.isNewest() ? answer : withVote(told, answer));
      }),
    );
  }

  /** Hosts and co-hosts: puts a question to everyone. */
  ask(poll: NewPoll): Promise<void> {
    return this.#options.service.askPoll(this.#options.ticket, poll);
  }

  /** Hosts and co-hosts: ends the voting, and shows everybody the counts. */
  close(pollId: string): Promise<void> {
    return this.#options.service.setPollStatus(this.#options.ticket, pollId, "closed");
  }

  /** Hosts and co-hosts: lets people vote again. */
  reopen(pollId: string): Promise<void> {
    return this.#options.service.setPollStatus(this.#options.ticket, pollId, "open");
  }

  /** Hosts and co-hosts: deletes the poll and its votes for everyone. */
  delete(pollId: string): Promise<void> {
    return this.#options.service.deletePoll(this.#options.ticket, pollId);
  }

  /** Takes the polls from the event stream. */
  take(polls: readonly Poll[]): void {
    this.#answerOrder.streamed();
    this.#receipts.tidy(polls);
    const before = new Map(this.#list.get().map((poll) => [poll.id, poll]));
    this.#list.set(
      polls.map((poll) => {
        const old = before.get(poll.id);
        // Votes are never taken back, so an event without the vote was sent before it.
        return old?.voted && !poll.voted ? old : this.#withChoice(poll);
      }),
    );
  }

  #withChoice(poll: Poll): Poll {
    if (!poll.anonymous || !poll.voted || !canChange(poll)) return poll;
    const choice = this.#receipts.choiceIn(poll.id);
    return choice ? { ...poll, choice } : poll;
  }

  /** The poll may have been closed or deleted while the answer to the vote was on its way. */
  #remember(pollId: string, choice: readonly string[]): void {
    const poll = this.#list.get().find(({ id }) => id === pollId);
    if (poll && canChange(poll)) this.#receipts.remember(pollId, choice);
    else this.#receipts.forget(pollId);
  }
}

/**
 * Adds the vote to a poll from the stream, which may have been sent before the vote was counted.
 */
function withVote(told: Poll, { choice }: Poll): Poll {
  if (told.voted) return told;
  return { ...told, voted: true, ...(choice ? { choice } : {}) };
}

/** The public side of Polls, for interfaces. */
export type MeetingPolls = Omit<Pick<Polls, keyof Polls>, "take">;
