import type { BreakoutSession } from "@conclave/client";
import { Button } from "@conclave/ui/button";
import { Plus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { AnnouncementForm } from "./announcement-form";
import type { BreakoutActions } from "./breakout-actions";
import { CloseRoomsMenu } from "./close-rooms-menu";
import { PersonLine } from "./person-line";
import { roomLimit } from "./plan";
import { RoomCard } from "./room-card";

export interface OpenRoomsProps {
  readonly session: BreakoutSession;
  /** The host's room; null: the main room. */
  readonly here: string | null;
  /** The ids of the people who cannot be moved. */
  readonly fixed: ReadonlySet<string>;
  readonly actions: BreakoutActions;
}

/** The panel of a host while rooms are open. */
export function OpenRooms({ session, here, fixed, actions }: OpenRoomsProps) {
  const { t } = useTranslation();
  const { rooms, unassigned } = session;
  return (
    <>
      {unassigned.length > 0 ? (
        <section className="breakout-room" aria-label={t("breakout.unassigned")}>
          <h3 className="breakout-room-name">
            {t("breakout.unassigned")} <span className="breakout-count">{unassigned.length}</span>
          </h3>
          <ul aria-label={t("breakout.unassigned")}>
            {unassigned.map((person) => (
              <PersonLine
                key={person.id}
                person={person}
                absence={t("breakout.gone")}
                rooms={rooms}
                current={null}
                onMove={fixed.has(person.id) ? null : actions.move}
              />
            ))}
          </ul>
        </section>
      ) : null}
      {rooms.map((room) => (
        <RoomCard
          key={room.id}
          room={room}
          rooms={rooms}
          isHere={room.id === here}
          mayClose={rooms.length > 1}
          fixed={fixed}
          actions={actions}
        />
      ))}
      {rooms.length < roomLimit ? (
        <Button icon={<Plus size={16} />} onPress={actions.addRoom}>
          {t("breakout.add")}
        </Button>
      ) : null}
      <AnnouncementForm onAnnounce={actions.announce} />
      <div className="panel-foot">
        <CloseRoomsMenu isClosing={session.status === "closing"} onEnd={actions.end} />
      </div>
    </>
  );
}
