import type { Poll, PollOption } from "@conclave/client";
import { Button } from "@conclave/ui/button";
import { Fragment, useId } from "react";
import { useTranslation } from "react-i18next";
import { useVote } from "./use-vote";

export interface PollCardProps {
  readonly poll: Poll;
  /** Resolves when the service has the vote. */
  readonly onVote: (choice: readonly string[]) => Promise<void>;
  /** The actions of hosts; null for everybody else. */
  readonly host: { readonly toggle: () => void; readonly delete: () => void } | null;
}

/** A poll: the form to vote, and the counts if the person may see them. */
export function PollCard({ poll, onVote, host }: PollCardProps) {
  const { t } = useTranslation();
  const { choice, shown, isChanged, problem, pick, vote } = useVote(poll, onVote);
  const isOpen = poll.status === "open" && !poll.final;
  const options = poll.options.map((option) => (
    <Option
      key={option.id}
      option={option}
      poll={poll}
      isPicked={isOpen ? shown.includes(option.id) : choice.includes(option.id)}
      onPick={isOpen ? (isPicked) => pick(option.id, isPicked) : null}
    />
  ));

  return (
    <article className="poll" aria-label={poll.question}>
      {isOpen ? (
        <form className="poll-body" onSubmit={vote}>
          <fieldset className="poll-options">
            <legend className="poll-question" dir="auto">
              {poll.question}
            </legend>
            <Facts poll={poll} />
            {options}
          </fieldset>
          <Button look="primary" type="submit" isDisabled={shown.length === 0 || !isChanged}>
            {t("poll.vote")}
          </Button>
        </form>
      ) : (
        <div className="poll-body">
          <h3 className="poll-question" dir="auto">
            {poll.question}
          </h3>
          <Facts poll={poll} />
          <div className="poll-options">{options}</div>
        </div>
      )}
      {problem === null ? null : (
        <p className="poll-problem" role="alert">
          {problem}
        </p>
      )}
      <Standing poll={poll} />
      {host ? <HostActions status={poll.status} host={host} /> : null}
    </article>
  );
}

interface HostActionsProps {
  readonly status: Poll["status"];
  readonly host: NonNullable<PollCardProps["host"]>;
}

function HostActions({ status, host }: HostActionsProps) {
  const { t } = useTranslation();
  return (
    <div className="poll-actions">
      <Button onPress={host.toggle}>
        {status === "open" ? t("poll.close") : t("poll.reopen")}
      </Button>
      <Button look="quiet-danger" onPress={host.delete}>
        {t("poll.delete")}
      </Button>
    </div>
  );
}

function Facts({ poll }: { readonly poll: Poll }) {
  const { t } = useTranslation();
  return (
    <p className="poll-hint">
      {poll.anonymous ? t("poll.isAnonymous") : t("poll.isNamed")}
      {poll.kind === "multiple" ? ` ${t("poll.pickSeveral")}` : null}
    </p>
  );
}

interface OptionProps {
  readonly option: PollOption;
  readonly poll: Poll;
  readonly isPicked: boolean;
  /** Null if the person can no longer vote. */
  readonly onPick: ((isPicked: boolean) => void) | null;
}

function Option({ option, poll, isPicked, onPick }: OptionProps) {
  const { t, i18n } = useTranslation();
  const id = useId();
  const share = option.votes === null || !poll.total_voters ? 0 : option.votes / poll.total_voters;
  const percent = new Intl.NumberFormat(i18n.language, { style: "percent" }).format(share);
  return (
    <div className="poll-option">
      <div className="poll-row">
        {onPick ? (
          <label className="poll-choice">
            <input
              type={poll.kind === "single" ? "radio" : "checkbox"}
              name={`poll-${poll.id}`}
              checked={isPicked}
              aria-describedby={`${id}-votes`}
              onChange={(event) => onPick(event.currentTarget.checked)}
            />
            <bdi>{option.label}</bdi>
          </label>
        ) : (
          <span className="poll-label">
            <bdi>{option.label}</bdi>
            {isPicked ? <span className="poll-mine"> {t("poll.yours")}</span> : null}
          </span>
        )}
        <span className="poll-votes" id={`${id}-votes`}>
          {option.votes === null ? null : t("poll.votes", { count: option.votes, percent })}
        </span>
      </div>
      {option.votes === null ? null : (
        <div className="poll-track" aria-hidden="true">
          <div className="poll-bar" style={{ inlineSize: `${share * 100}%` }} />
        </div>
      )}
      {option.voters && option.voters.length > 0 ? (
        <p className="poll-voters" dir="auto">
          <span className="visually-hidden">{t("poll.voters")} </span>
          {new Intl.ListFormat(i18n.language, { type: "unit" })
            .formatToParts(option.voters)
            .map(({ type, value }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two people may have the same name.
              <Fragment key={index}>{type === "element" ? <bdi>{value}</bdi> : value}</Fragment>
            ))}
        </p>
      ) : null}
    </div>
  );
}

/**
 * How many people voted, and whether the person can. The number changes too often to be read out.
 */
function Standing({ poll }: { readonly poll: Poll }) {
  const { t } = useTranslation();
  const isOpen = poll.status === "open";
  const words = [
    isOpen ? null : t("poll.isClosed"),
    isOpen && poll.final ? t("poll.final") : null,
    isOpen && poll.voted && !poll.final ? t("poll.youVoted") : null,
    poll.total_voters === null ? t(laterText(poll)) : null,
  ].filter((word) => word !== null);
  return (
    <div className="poll-hint">
      {poll.total_voters === null ? null : <p>{t("poll.voted", { count: poll.total_voters })}</p>}
      <p role="status">{words.join(" ")}</p>
    </div>
  );
}

function laterText({ results }: Poll) {
  return results === "after_vote" ? "poll.laterAfterVote" : "poll.laterAfterClose";
}
