import type { Poll } from "@conclave/client";
import { useOnNew } from "@conclave/ui/use-on-new";
import { useTranslation } from "react-i18next";
import { PollBanner } from "./poll-banner";
import { waitsForVote } from "./waits-for-vote";

export interface PollNewsProps {
  readonly polls: readonly Poll[];
  readonly isPanelOpen: boolean;
  /** The id of the poll to tell the person about. */
  readonly announced: string | null;
  /** A poll waits for a vote: it is new, was reopened, or was there when the person came in. */
  readonly onPoll: (id: string) => void;
  readonly onView: () => void;
  readonly onDismiss: () => void;
}

/** Tells the person of a new poll, in a banner while the panel is closed. */
export function PollNews(props: PollNewsProps) {
  const { polls, isPanelOpen, announced, onPoll, onView, onDismiss } = props;
  const { t } = useTranslation();
  useOnNew(
    polls.filter(waitsForVote).map(({ id }) => id),
    onPoll,
  );
  const poll = polls.find(({ id }) => id === announced);
  return (
    <>
      {poll && !isPanelOpen && waitsForVote(poll) ? (
        <PollBanner poll={poll} onView={onView} onDismiss={onDismiss} />
      ) : null}
      {/* The panel opened by itself, without taking the focus: screen readers need to hear why. */}
      <p className="visually-hidden" aria-live="polite">
        {poll && isPanelOpen ? `${t("banner.newPoll")} ${poll.question}` : ""}
      </p>
    </>
  );
}
