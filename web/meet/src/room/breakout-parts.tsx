import { Value } from "@conclave/client/pre-join";
import { useObservable } from "@conclave/ui/use-observable";
import { type ReactNode, useState } from "react";
import type { BreakoutActions } from "../features/breakout/breakout-actions";
import { BreakoutBanners } from "../features/breakout/breakout-banners";
import { BreakoutPanel } from "../features/breakout/breakout-panel";
import { PlaceSign } from "../features/breakout/place-sign";
import { type Draft, firstDraft } from "../features/breakout/plan";
import type { LiveMeeting } from "../features/live/live-meeting";
import type { Screen } from "../features/live/use-screen";

interface BreakoutParts {
  readonly panel: ReactNode;
  readonly banners: ReactNode;
  /** Shows which of the meeting's rooms the person is in. */
  readonly sign: ReactNode;
}

interface PartProps {
  readonly meeting: LiveMeeting;
  readonly screen: Screen;
  /** What a host plans before opening rooms. Outlives the panel. */
  readonly plan: Value<Draft>;
}

/** What the feature of breakout rooms adds to the screen of a meeting. */
export function useBreakoutParts(meeting: LiveMeeting, screen: Screen): BreakoutParts {
  const [plan] = useState(() => new Value(firstDraft));
  const props = { meeting, screen, plan };
  return { panel: <Rooms {...props} />, banners: <News {...props} />, sign: <Sign {...props} /> };
}

function actionsOf({ meeting, screen, plan: draft }: PartProps): BreakoutActions {
  const { breakouts } = meeting;
  const { failure } = screen;
  const attempt = (doing: Promise<void>) => void doing.catch(failure.report);
  /** Resolves to whether it succeeded. */
  const succeeds = (doing: Promise<void>) =>
    doing.then(
      () => true,
      (error: unknown) => {
        failure.report(error);
        return false;
      },
    );
  return {
    open: async (plan) => {
      const isOpen = await succeeds(breakouts.open(plan));
      if (isOpen) draft.set(firstDraft);
      return isOpen;
    },
    join: (breakoutId) => attempt(breakouts.join(breakoutId)),
    returnToMain: () => attempt(breakouts.returnToMain()),
    move: (person, breakoutId) => attempt(breakouts.assign(person, breakoutId)),
    addRoom: () => attempt(breakouts.addRoom()),
    renameRoom: (breakoutId, name) => attempt(breakouts.renameRoom(breakoutId, name)),
    closeRoom: (breakoutId) => attempt(breakouts.closeRoom(breakoutId)),
    announce: (message) => succeeds(breakouts.announce(message)),
    end: (warn) => attempt(breakouts.end({ warn })),
  };
}

function Rooms(props: PartProps) {
  const { meeting } = props;
  const you = useObservable(meeting.you);
  return (
    <BreakoutPanel
      session={useObservable(meeting.breakouts.session)}
      whereabouts={useObservable(meeting.breakouts.whereabouts)}
      secondsLeft={useObservable(meeting.breakouts.countdown)}
      people={useObservable(meeting.people)}
      isDirecting={you?.role === "host"}
      isCohost={you?.cohost ?? false}
      plan={props.plan}
      actions={actionsOf(props)}
    />
  );
}

function News(props: PartProps) {
  const { breakouts } = props.meeting;
  return (
    <BreakoutBanners
      session={useObservable(breakouts.session)}
      whereabouts={useObservable(breakouts.whereabouts)}
      secondsLeft={useObservable(breakouts.countdown)}
      isNarrow={props.screen.isNarrow}
      announcement={useObservable(breakouts.announcement)}
      onDismiss={(announcement) => breakouts.dismiss(announcement)}
      isPanelOpen={isPanelOpen(props)}
      actions={actionsOf(props)}
    />
  );
}

function Sign(props: PartProps) {
  const { breakouts } = props.meeting;
  const secondsLeft = useObservable(breakouts.countdown);
  return (
    <PlaceSign
      session={useObservable(breakouts.session)}
      whereabouts={useObservable(breakouts.whereabouts)}
      secondsLeft={props.screen.isNarrow ? secondsLeft : null}
      isPanelOpen={isPanelOpen(props)}
      actions={actionsOf(props)}
    />
  );
}

function isPanelOpen({ screen: { panels } }: PartProps): boolean {
  return panels.open === "breakouts";
}
