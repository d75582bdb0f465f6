import type { BreakoutRoom } from "@conclave/client";
import { Button } from "@conclave/ui/button";
import { Confirm } from "@conclave/ui/confirm";
import { Named } from "@conclave/ui/named";
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

/** What a host is asked about a room: its new name, or whether to close it. */
type RoomTask = "rename" | "close";

/** One room, as a host sees it. */
export function RoomCard({ room, rooms, isHere, mayClose, fixed, actions }: RoomCardProps) {
  const { t } = useTranslation();
  const [task, setTask] = useState<RoomTask | null>(null);
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
      <RoomButtons
        name={room.name}
        onJoin={isHere ? null : () => actions.join(room.id)}
        onRename={task === "rename" ? null : () => setTask("rename")}
        onClose={mayClose ? () => (room.members.length > 0 ? setTask("close") : close()) : null}
      />
      <RoomPeople room={room} rooms={rooms} fixed={fixed} onMove={actions.move} />
      {task === "close" ? (
        <Confirm
          title={
            <Named name={room.name} words={(name) => t("breakout.closeTitle", { room: name })} />
          }
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

interface RoomButtonsProps {
  readonly name: string;
  /** Null for each thing that the host cannot do now. */
  readonly onJoin: (() => void) | null;
  readonly onRename: (() => void) | null;
  readonly onClose: (() => void) | null;
}

/** What a host can do with a room. */
function RoomButtons({ name, onJoin, onRename, onClose }: RoomButtonsProps) {
  const { t } = useTranslation();
  return (
    <div className="breakout-room-actions">
      {onJoin ? (
        <Button look="quiet" onPress={onJoin}>
          <Named name={name} words={(room) => t("breakout.join", { room })} />
        </Button>
      ) : null}
      {onRename ? (
        <Button look="quiet" onPress={onRename}>
          {t("breakout.rename")}
        </Button>
      ) : null}
      {onClose ? (
        <Button look="quiet-danger" onPress={onClose}>
          {t("breakout.close")}
        </Button>
      ) : null}
    </div>
  );
}

interface RoomPeopleProps extends Pick<RoomCardProps, "room" | "rooms" | "fixed"> {
  readonly onMove: BreakoutActions["move"];
}

/** Lists the people in a room. A host can move each of them to another room. */
function RoomPeople({ room, rooms, fixed, onMove }: RoomPeopleProps) {
  const { t } = useTranslation();
  if (room.members.length === 0) return <p className="breakout-hint">{t("breakout.empty")}</p>;
  return (
    <ul aria-label={t("breakout.peopleIn", { room: room.name })}>
      {room.members.map((member) => (
        <PersonLine
          key={member.id}
          person={member}
          absence={t("breakout.absent")}
          rooms={rooms}
          current={room.id}
          onMove={fixed.has(member.id) ? null : onMove}
        />
      ))}
    </ul>
  );
}
