import type { BreakoutRoom, BreakoutSession, Whereabouts } from "@conclave/client";
import { Button } from "@conclave/ui/button";
import { Named } from "@conclave/ui/named";
import { DoorOpen, Undo2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { BreakoutActions } from "./breakout-actions";
import { openTo, placeName } from "./room-names";

export interface OwnRoomProps {
  readonly session: BreakoutSession;
  readonly whereabouts: Whereabouts;
  readonly actions: Pick<BreakoutActions, "join" | "returnToMain">;
  /** Lists the rooms to go into; hosts have their own list below. */
  readonly hasRooms: boolean;
}

/** The person's room, and the rooms they may go into. */
export function OwnRoom({ session, whereabouts, actions, hasRooms }: OwnRoomProps) {
  const { t } = useTranslation();
  const { breakoutId } = whereabouts;
  const isAway = breakoutId !== null;
  const rooms = hasRooms ? openTo(session, breakoutId) : [];
  const isAsked = !isAway && rooms.length === 1 && !session.you.may_choose;
  return (
    <>
      <section className="breakout-own">
        <p>
          <Named
            name={placeName(whereabouts, t)}
            words={(room) => t("breakout.youAreIn", { room })}
          />
        </p>
        {isAway && session.you.can_return ? (
          <Button icon={<Undo2 size={16} />} onPress={actions.returnToMain}>
            {t("breakout.return")}
          </Button>
        ) : null}
        {isAway && !session.you.can_return ? (
          <p className="breakout-hint">{t("breakout.stay")}</p>
        ) : null}
        {hasRooms && !isAway && rooms.length === 0 ? (
          <p className="breakout-hint">{t("breakout.wait")}</p>
        ) : null}
        {session.you.may_choose && hasRooms && !isAway ? (
          <p className="breakout-hint">{t("breakout.choose")}</p>
        ) : null}
      </section>
      {hasRooms
        ? session.rooms
            .filter((room) => room.id === breakoutId || rooms.includes(room))
            .map((room) => (
              <OfferedRoom
                key={room.id}
                room={room}
                isAsked={isAsked}
                onJoin={room.id === breakoutId ? null : () => actions.join(room.id)}
              />
            ))
        : null}
    </>
  );
}

interface OfferedRoomProps {
  readonly room: BreakoutRoom;
  /** Whether a host asks the person to go into it. */
  readonly isAsked: boolean;
  /** Null for the room in which the person is. */
  readonly onJoin: (() => void) | null;
}

/** A room with the people in it. */
function OfferedRoom({ room, isAsked, onJoin }: OfferedRoomProps) {
  const { t } = useTranslation();
  return (
    <section className="breakout-room" aria-label={room.name}>
      <div className="breakout-room-head">
        <h3 className="breakout-room-name" dir="auto">
          {room.name}
        </h3>
        {onJoin ? (
          <Button
            look={isAsked ? "primary" : "plain"}
            icon={<DoorOpen size={16} />}
            onPress={onJoin}
          >
            <Named name={room.name} words={(name) => t("breakout.join", { room: name })} />
          </Button>
        ) : null}
      </div>
      <ul aria-label={t("breakout.peopleIn", { room: room.name })}>
        {room.members
          .filter(({ present }) => present)
          .map((member) => (
            <li key={member.id} className="breakout-person">
              <bdi className="breakout-person-name">{member.name}</bdi>
            </li>
          ))}
      </ul>
    </section>
  );
}
