import { isOwnHost, type Knocking, type You } from "@conclave/client";
import { useObservable } from "@conclave/ui/use-observable";
import { useOnNew } from "@conclave/ui/use-on-new";
import { type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { playChime } from "../features/devices/chime";
import type { LiveMeeting } from "../features/live/live-meeting";
import { useFailureText } from "../features/live/use-failure";
import type { Screen } from "../features/live/use-screen";
import { Announcer } from "../features/people/announcer";
import type { Answer, PeopleActions, Powers, RoomName } from "../features/people/people-actions";
import { PeoplePanel } from "../features/people/people-panel";
import { WaitingBanner } from "../features/people/waiting-banner";
import { useWaitingMarks, type WaitingMarks } from "../features/people/waiting-marks";
import { notifyOfWaiting } from "../features/people/waiting-notification";

/** The sound of a knock must not drown the person who speaks. */
const chimeLoudness = 0.08;

interface PeopleParts {
  readonly panel: ReactNode;
  readonly banners: ReactNode;
  readonly announcer: ReactNode;
  /** How many people are in the meeting. */
  readonly count: number;
  /** How many people wait to be let in, as far as the person may answer them. */
  readonly waiting: number;
}

/**
 * What the feature of people adds to the screen of a meeting. `unread`: how many messages the person
 * has not read.
 */
export function usePeopleParts(meeting: LiveMeeting, screen: Screen, unread: number): PeopleParts {
  const { t } = useTranslation();
  const { panels, view } = screen;
  const room = useObservable(meeting.room);
  const you = useObservable(meeting.you);
  const people = useObservable(meeting.people);
  const waiting = useObservable(meeting.waiting);
  const rooms = useRooms(meeting);
  const failureText = useFailureText();
  const answers = useWaitingMarks(waiting);
  const { pin } = view;
  const { report } = screen.failure;
  const actions = useMemo(
    () => actionsOf(meeting, pin, report, failureText),
    [meeting, pin, report, failureText],
  );
  const answer = answerOnce(meeting, screen, waiting, answers);
  useOnNew(
    waiting.map(({ identity }) => identity),
    () => {
      void playChime(meeting.localMedia.chosen("speaker").get(), chimeLoudness);
      const latest = waiting.at(-1);
      if (latest) notifyOfWaiting(t("banner.waiting"), latest.name);
    },
  );
  return {
    panel: (
      <PeoplePanel
        people={people}
        waiting={waiting}
        answered={answers.marked}
        isWebinar={room?.type === "webinar"}
        powers={powersOf(you)}
        mayRename={you?.may.rename ?? false}
        pinned={view.pinned}
        rooms={rooms}
        actions={actions}
        onAnswer={answer}
      />
    ),
    banners: (
      <WaitingBanner
        waiting={waiting}
        isListed={panels.open === "people"}
        onView={() => panels.choose("people")}
        onAdmit={(identity) => answer(identity, "admit")}
      />
    ),
    announcer: <Announcer people={people} waiting={waiting} unread={unread} />,
    count: people.length,
    waiting: waiting.length,
  };
}

function powersOf(you: You | null): Powers {
  if (you?.role !== "host") return "none";
  return isOwnHost(you) ? "host" : "cohost";
}

function actionsOf(
  meeting: LiveMeeting,
  pin: PeopleActions["pin"],
  report: (error: unknown) => void,
  failureText: (error: unknown) => string,
): PeopleActions {
  const { hosting } = meeting;
  const attempt = (doing: Promise<void>) => void doing.catch(report);
  return {
    pin,
    rename: (name) => meeting.rename(name).then(() => null, failureText),
    mute: (identity) => attempt(hosting.mute(identity)),
    muteAll: () => attempt(hosting.muteAll()),
    askToUnmute: (identity) => attempt(hosting.askToUnmute(identity)),
    stopCamera: (identity) => attempt(hosting.stopCamera(identity)),
    lowerHand: (identity) => attempt(hosting.lowerHand(identity)),
    setSpotlight: (identity, lit) => attempt(hosting.setSpotlight(identity, lit)),
    lowerAllHands: () => attempt(hosting.lowerAllHands()),
    admitAll: () => attempt(hosting.admitAll()),
    remove: (identity) => attempt(hosting.remove(identity)),
    setCohost: (identity, cohost) => attempt(hosting.setCohost(identity, cohost)),
    setStage: (identity, onStage) => attempt(hosting.setStage(identity, onStage)),
    moveTo: (identity, breakoutId) => attempt(meeting.breakouts.assign(identity, breakoutId)),
  };
}

/** Answers a knock. The second press of a double click finds the answer on its way already. */
function answerOnce(
  { hosting }: LiveMeeting,
  { failure }: Screen,
  waiting: readonly Knocking[],
  { marked, mark, unmark }: WaitingMarks,
): Answer {
  return (identity, decision) => {
    const knock = waiting.find((one) => one.identity === identity);
    if (!knock || marked.has(identity)) return;
    mark([knock]);
    hosting.answerKnock(identity, decision).catch((error) => {
      unmark(knock);
      failure.report(error);
    });
  };
}

const noRooms: readonly RoomName[] = [];

/** The rooms that the meeting consists of while breakout rooms are open. */
function useRooms(meeting: LiveMeeting): readonly RoomName[] {
  const { t } = useTranslation();
  const session = useObservable(meeting.breakouts.session);
  return useMemo(
    () => (session ? [{ id: null, name: t("breakout.mainRoom") }, ...session.rooms] : noRooms),
    [session, t],
  );
}
