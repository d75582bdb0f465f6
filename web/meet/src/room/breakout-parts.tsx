import { useObservable } from "@conclave/ui/use-observable";
import type { BreakoutActs } from "../features/breakout/breakout-acts";
import { BreakoutBanners } from "../features/breakout/breakout-banners";
import { BreakoutPanel } from "../features/breakout/breakout-panel";
import { PlaceSign } from "../features/breakout/place-sign";
import type { LiveMeeting } from "../features/live/live-meeting";
import type { BreakoutParts, ScreenTools } from "../features/live/meeting-screen";

/** What the feature of breakout rooms adds to the screen of a meeting. */
export function breakoutPartsOf(meeting: LiveMeeting): BreakoutParts {
  return {
    panel: (tools) => <BreakoutRooms meeting={meeting} tools={tools} />,
    banners: (isPanelOpen, tools) => (
      <BreakoutNews meeting={meeting} tools={tools} isPanelOpen={isPanelOpen} />
    ),
    sign: (isPanelOpen, tools) => (
      <WhereSign meeting={meeting} tools={tools} isPanelOpen={isPanelOpen} />
    ),
  };
}

function breakoutActsOf({ breakouts }: LiveMeeting, { onFailure }: ScreenTools): BreakoutActs {
  const attempt = (doing: Promise<void>) => void doing.catch(onFailure);
  return {
    open: (plan) => attempt(breakouts.open(plan)),
    join: (breakoutId) => attempt(breakouts.join(breakoutId)),
    returnToMain: () => attempt(breakouts.returnToMain()),
    move: (person, breakoutId) => attempt(breakouts.assign(person, breakoutId)),
    addRoom: () => attempt(breakouts.addRoom()),
    renameRoom: (breakoutId, name) => attempt(breakouts.renameRoom(breakoutId, name)),
    closeRoom: (breakoutId) => attempt(breakouts.closeRoom(breakoutId)),
    announce: (message) =>
      breakouts.announce(message).then(
        () => true,
        (error) => {
          onFailure(error);
          return false;
        },
      ),
    end: (warn) => attempt(breakouts.end({ warn })),
  };
}

interface PartProps {
  readonly meeting: LiveMeeting;
  readonly tools: ScreenTools;
}

function BreakoutRooms({ meeting, tools }: PartProps) {
  const you = useObservable(meeting.you);
  return (
    <BreakoutPanel
      session={useObservable(meeting.breakouts.session)}
      whereabouts={useObservable(meeting.breakouts.whereabouts)}
      secondsLeft={useObservable(meeting.breakouts.countdown)}
      people={useObservable(meeting.people)}
      isDirecting={you?.role === "host"}
      isCohost={you?.cohost ?? false}
      acts={breakoutActsOf(meeting, tools)}
    />
  );
}

interface BreakoutNewsProps extends PartProps {
  readonly isPanelOpen: boolean;
}

function BreakoutNews({ meeting, tools, isPanelOpen }: BreakoutNewsProps) {
  const { breakouts } = meeting;
  return (
    <BreakoutBanners
      session={useObservable(breakouts.session)}
      whereabouts={useObservable(breakouts.whereabouts)}
      secondsLeft={useObservable(breakouts.countdown)}
      announcement={useObservable(breakouts.announcement)}
      onDismiss={(announcement) => breakouts.dismiss(announcement)}
      isPanelOpen={isPanelOpen}
      acts={breakoutActsOf(meeting, tools)}
    />
  );
}

function WhereSign({ meeting, tools, isPanelOpen }: BreakoutNewsProps) {
  return (
    <PlaceSign
      session={useObservable(meeting.breakouts.session)}
      whereabouts={useObservable(meeting.breakouts.whereabouts)}
      isPanelOpen={isPanelOpen}
      acts={breakoutActsOf(meeting, tools)}
    />
  );
}
