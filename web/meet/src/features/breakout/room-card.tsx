import type { BreakoutRoom } from "@conclave/client";
import { Button } from "@conclave/ui/button";
import { Confirm } from "@conclave/ui/confirm";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { BreakoutActions } from "./breakout-actions";
import { PersonLine } from "./person-line";
import { RenameForm } from "./rename-form";

export interface RoomCardProps {
  readonly room: BreakoutRoom;
  readonly rooms: readonly BreakoutRoom[];
  /** Whether the host is in it. */
  readonly isHere: boolean;
  /** A session keeps at least one room. */
  readonly mayClose: boolean;
  /** The ids of the people who cannot be moved. */
  readonly fixed: ReadonlySet<string>;
  readonly actions: BreakoutActions;
}

/** One room, as a host sees it. */
export function RoomCard({ room, rooms, isHere, mayClose, fixed, actions }: RoomCardProps) {
  const { t } = useTranslation();
  const [task, setTask] = useState<"rename" | "close" | null>(null);
  const here = room.members.filter(({ present }) => present).length;
  const close = () => {
    setTask(null);
    actions.closeRoom(room.id);
  };
  return (
    <section className="breakout-room" aria-label={room.name}>
      {task === "rename" ? (
        <RenameForm
          name={room.name}
          onRename={(name) => actions.renameRoom(room.id, name)}
          onDone={() => setTask(null)}
        />
      ) : (
        <h3 className="breakout-room-name">
          <bdi>{room.name}</bdi> <span className="breakout-count">{here}</span>
        </h3>
      )}
      <div className="breakout-room-actions">
        {isHere ? null : (
          <Button look="quiet" onPress={() => actions.join(room.id)}>
            {t("breakout.join", { room: room.name })}
          </Button>
        )}
        {task === "rename" ? null : (
          <Button look="quiet" onPress={() => setTask("rename")}>
            {t("breakout.rename")}
          </Button>
        )}
        {mayClose ? (
          <Button
            look="quiet-danger"
            onPress={() => (room.members.length > 0 ? setTask("close") : close())}
          >
            {t("breakout.close")}
          </Button>
        ) : null}
      </div>
      {room.members.length === 0 ? (
        <p className="breakout-hint">{t("breakout.empty")}</p>
      ) : (
        <ul aria-label={t("breakout.peopleIn", { room: room.name })}>
          {room.members.map((member) => (
            <PersonLine
              key={member.id}
              person={member}
              absence={t("breakout.absent")}
              rooms={rooms}
              current={room.id}
              onMove={fixed.has(member.id) ? null : actions.move}
            />
          ))}
        </ul>
      )}
      {task === "close" ? (
        <Confirm
          title={t("breakout.closeTitle", { room: room.name })}
          text={t("breakout.closeText")}
          confirmLabel={t("breakout.close")}
          cancelLabel={t("cancel")}
          onConfirm={close}
          onCancel={() => setTask(null)}
        />
      ) : null}
    </section>
  );
}
