import type { Announcement, BreakoutSession, Whereabouts } from "@conclave/client";
import { Banner, Dismiss, PassingBanner } from "@conclave/ui/banner";
import { Button } from "@conclave/ui/button";
import { Named } from "@conclave/ui/named";
import { Megaphone } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { BreakoutActions } from "./breakout-actions";
import { LastMinute } from "./last-minute";
import { placeName } from "./room-names";
import "./breakout.css";

export interface BreakoutBannersProps {
  readonly session: BreakoutSession | null;
  readonly whereabouts: Whereabouts;
  readonly secondsLeft: number | null;
  /** The header shows the last minute. */
  readonly isNarrow: boolean;
  readonly announcement: Announcement | null;
  readonly onDismiss: (announcement: Announcement) => void;
  /** The panel shows what the invitation banner would. */
  readonly isPanelOpen: boolean;
  readonly actions: Pick<BreakoutActions, "join">;
}

/** The banners about breakout rooms, which everybody sees whatever panel is open. */
export function BreakoutBanners(props: BreakoutBannersProps) {
  const { session, whereabouts, secondsLeft, isNarrow, announcement } = props;
  const { onDismiss, isPanelOpen, actions } = props;
  const { t } = useTranslation();
  return (
    <>
      {isNarrow ? null : <LastMinute secondsLeft={secondsLeft} look="banner" />}
      <Arrival whereabouts={whereabouts} />
      {session ? (
        <Invitation
          session={session}
          whereabouts={whereabouts}
          isHidden={isPanelOpen}
          onJoin={actions.join}
        />
      ) : null}
      {announcement ? (
        <Banner rank="passing">
          <Megaphone size={20} aria-hidden="true" />
          {/* A long announcement can be scrolled, so the keyboard has to reach it. */}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above. */}
          <p className="banner-text breakout-words" tabIndex={0}>
            {announcement.from ? <bdi className="banner-name">{announcement.from}</bdi> : null}{" "}
            <bdi>{announcement.message}</bdi>
          </p>
          <Dismiss label={t("banner.dismiss")} onPress={() => onDismiss(announcement)} />
        </Banner>
      ) : null}
    </>
  );
}

/** Shows the person's room after a move, but not when they join the meeting. */
function Arrival({ whereabouts }: { readonly whereabouts: Whereabouts }) {
  const { t } = useTranslation();
  const { breakoutId, movingTo } = whereabouts;
  const [last, setLast] = useState(breakoutId);
  const [isNew, setNew] = useState(false);
  if (last !== breakoutId) {
    setLast(breakoutId);
    setNew(true);
  }
  if (movingTo)
    return (
      <Banner rank="alarm">
        <p className="banner-text breakout-words">
          <Named name={placeName(movingTo, t)} words={(room) => t("breakout.moving", { room })} />
        </p>
      </Banner>
    );
  if (!isNew) return null;
  return (
    <PassingBanner key={breakoutId} dismissLabel={t("banner.dismiss")} onOver={() => setNew(false)}>
      <p className="banner-text breakout-words">
        <Named
          name={placeName(whereabouts, t)}
          words={(room) => t("breakout.youAreIn", { room })}
        />
      </p>
    </PassingBanner>
  );
}

interface InvitationProps {
  readonly session: BreakoutSession;
  readonly whereabouts: Whereabouts;
  /** A hidden invitation remembers how it was answered. */
  readonly isHidden: boolean;
  readonly onJoin: (breakoutId: string) => void;
}

/** The person was assigned a room, and decides when to go there. */
function Invitation({ session, whereabouts, isHidden, onJoin }: InvitationProps) {
  const { t } = useTranslation();
  const [declined, setDeclined] = useState<string | null>(null);
  const { assigned, place } = session.you;
  const room = session.rooms.find(({ id }) => id === assigned);
  // A person who came back from the room is not invited again.
  const [left, setLeft] = useState<string | null>(null);
  if (place !== null && left !== place) setLeft(place);
  const isThere = whereabouts.breakoutId === assigned || place === assigned;
  if (isHidden || !room || isThere || declined === room.id || left === room.id) return null;
  return (
    <Banner>
      <p className="banner-text">{t("breakout.invited")}</p>
      <Button look="primary" onPress={() => onJoin(room.id)}>
        <Named name={room.name} words={(name) => t("breakout.join", { room: name })} />
      </Button>
      <Dismiss label={t("banner.dismiss")} onPress={() => setDeclined(room.id)} />
    </Banner>
  );
}
