import { Value } from "@conclave/client/pre-join";
import { useObservable } from "@conclave/ui/use-observable";
import { type ReactNode, useState } from "react";
import type { LiveMeeting } from "../features/live/live-meeting";
import type { Screen } from "../features/live/use-screen";
import type { Draft } from "../features/poll/draft";
import { PollNews } from "../features/poll/poll-news";
import { PollPanel } from "../features/poll/poll-panel";
import { waitsForVote } from "../features/poll/waits-for-vote";

interface PollParts {
  readonly panel: ReactNode;
  readonly banners: ReactNode;
  /** How many polls wait for the person's vote. */
  readonly waiting: number;
}

/** What the feature of polls adds to the screen of a meeting. */
export function usePollParts(meeting: LiveMeeting, { panels, failure }: Screen): PollParts {
  const polls = useObservable(meeting.polls.list);
  const you = useObservable(meeting.you);
  // Outlives the panel.
  const [draft] = useState(() => new Value<Draft | null>(null));
  return {
    panel: (
      <PollPanel
        polls={meeting.polls}
        isHost={you?.role === "host"}
        draft={draft}
        onFailure={failure.report}
      />
    ),
    banners: (
      <PollNews
        polls={polls}
        isPanelOpen={panels.open === "polls"}
        announced={panels.news?.id ?? null}
        onPoll={(id) => panels.tellNews({ panel: "polls", id })}
        onView={() => panels.choose("polls")}
        onDismiss={panels.dismissNews}
      />
    ),
    waiting: polls.filter(waitsForVote).length,
  };
}
