import { isSpeaker, type Person } from "@conclave/client";
import { useObservable } from "@conclave/ui/use-observable";
import { useCallback, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { AloneCard } from "./alone-card";
import { emptinessOf } from "./empty-room";
import type { Invitation } from "./invitation";
import type { LiveMeeting } from "./live-meeting";
import { Tiles } from "./tiles";
import type { View } from "./use-screen";

export interface MeetingTilesProps {
  readonly meeting: LiveMeeting;
  readonly view: View;
  readonly invitation: Invitation;
}

/** The people in this room of the meeting; of a webinar, those on stage. */
export function MeetingTiles({ meeting, view, invitation }: MeetingTilesProps) {
  const people = useObservable(meeting.people);
  const reactions = useObservable(meeting.reactions);
  const isWebinar = useObservable(meeting.room)?.type === "webinar";
  const place = useObservable(meeting.breakouts.whereabouts);
  // In a webinar's breakout rooms everybody may speak.
  const hasAudience = isWebinar && place.breakoutId === null;
  const here = useMemo(() => people.filter((person) => person.isHere), [people]);
  const seen = useMemo(() => (hasAudience ? here.filter(isOnScreen) : here), [hasAudience, here]);
  const stopSharing = useCallback(() => void meeting.shareScreen(false), [meeting]);
  return (
    <Tiles
      people={seen}
      reactions={reactions}
      layout={view.layout}
      pinned={view.pinned}
      onPin={view.pin}
      onStopSharing={stopSharing}
      empty={
        <NoTiles
          meeting={meeting}
          invitation={invitation}
          people={people}
          hasAudience={hasAudience}
        />
      }
    />
  );
}

/** A webinar shows the people on stage, and everyone to themselves. */
function isOnScreen(person: Person): boolean {
  return isSpeaker(person) || person.isMe;
}

interface NoTilesProps {
  readonly meeting: LiveMeeting;
  readonly invitation: Invitation;
  /** Everybody in the meeting. */
  readonly people: readonly Person[];
  readonly hasAudience: boolean;
}

function NoTiles(props: NoTilesProps) {
  const { meeting, invitation, people, hasAudience } = props;
  const { t } = useTranslation();
  switch (emptinessOf(people, hasAudience)) {
    case "first":
      return <AloneCard meeting={meeting} invitation={invitation} />;
    case "elsewhere":
      return <p className="tiles-empty">{t("tiles.othersElsewhere")}</p>;
    case "silent":
      return <p className="tiles-empty">{t("tiles.nobodySpeaks")}</p>;
    case null:
      return null;
  }
}
