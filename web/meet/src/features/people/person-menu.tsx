import { IconButton } from "@conclave/ui/icon-button";
import {
  Blocks,
  EllipsisVertical,
  FlashlightOff,
  Hand,
  Mic,
  MicOff,
  Pencil,
  Pin,
  PinOff,
  Presentation,
  ShieldMinus,
  ShieldPlus,
  Spotlight,
  UserMinus,
  Users,
  VideoOff,
} from "lucide-react";
import type { ReactNode } from "react";
import { Menu, MenuItem, MenuTrigger, Popover, SubmenuTrigger } from "react-aria-components";
import { useTranslation } from "react-i18next";
import type { PeopleActions, RoomName } from "./people-actions";
import type { Choice } from "./person-choices";
import "@conclave/ui/menu.css";

export interface PersonMenuProps {
  readonly identity: string;
  readonly name: string;
  readonly choices: readonly Choice[];
  readonly actions: PeopleActions;
  /** The rooms that the person can be moved to. */
  readonly rooms: readonly RoomName[];
  /** Asks for a confirmation outside of the menu, before it removes the person. */
  readonly onRemove: () => void;
  /** Asks for the person's own new name, outside of the menu. */
  readonly onRename: () => void;
}

const icons: Record<Choice, ReactNode> = {
  rename: <Pencil size={20} />,
  pin: <Pin size={20} />,
  unpin: <PinOff size={20} />,
  spotlight: <Spotlight size={20} />,
  removeSpotlight: <FlashlightOff size={20} />,
  mute: <MicOff size={20} />,
  askToUnmute: <Mic size={20} />,
  stopCamera: <VideoOff size={20} />,
  lowerHand: <Hand size={20} />,
  makeCohost: <ShieldPlus size={20} />,
  removeCohost: <ShieldMinus size={20} />,
  inviteToStage: <Presentation size={20} />,
  moveToAudience: <Users size={20} />,
  moveToRoom: <Blocks size={20} />,
  remove: <UserMinus size={20} />,
};

/** What can be done to a person, if there is anything. */
export function PersonMenu(props: PersonMenuProps) {
  const { identity, name, choices, actions, rooms } = props;
  const { t } = useTranslation();
  if (choices.length === 0) return null;
  const does: Record<Exclude<Choice, "moveToRoom">, () => void> = {
    rename: props.onRename,
    pin: () => actions.pin(identity),
    unpin: () => actions.pin(null),
    spotlight: () => actions.setSpotlight(identity, true),
    removeSpotlight: () => actions.setSpotlight(identity, false),
    mute: () => actions.mute(identity),
    askToUnmute: () => actions.askToUnmute(identity),
    stopCamera: () => actions.stopCamera(identity),
    lowerHand: () => actions.lowerHand(identity),
    makeCohost: () => actions.setCohost(identity, true),
    removeCohost: () => actions.setCohost(identity, false),
    inviteToStage: () => actions.setStage(identity, true),
    moveToAudience: () => actions.setStage(identity, false),
    remove: props.onRemove,
  };
  return (
    <MenuTrigger>
      <IconButton
        label={t("people.menu", { name })}
        tip={t("people.menuTip")}
        icon={<EllipsisVertical size={20} />}
      />
      <Popover className="menu-popover" placement="bottom end">
        <Menu className="menu" aria-label={t("people.menu", { name })}>
          {choices.map((choice) =>
            choice === "moveToRoom" ? (
              <MoveEntry
                key={choice}
                rooms={rooms}
                onMove={(room) => actions.moveTo(identity, room)}
              />
            ) : (
              <MenuItem
                key={choice}
                id={choice}
                className={choice === "remove" ? "menu-item menu-item-danger" : "menu-item"}
                textValue={t(`people.choice.${choice}`)}
                onAction={does[choice]}
              >
                {icons[choice]}
                {t(`people.choice.${choice}`)}
              </MenuItem>
            ),
          )}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

interface MoveEntryProps {
  readonly rooms: readonly RoomName[];
  readonly onMove: (breakoutId: string | null) => void;
}

/** Opens a submenu with the rooms. */
function MoveEntry({ rooms, onMove }: MoveEntryProps) {
  const { t } = useTranslation();
  const label = t("people.choice.moveToRoom");
  return (
    <SubmenuTrigger>
      <MenuItem id="moveToRoom" className="menu-item" textValue={label}>
        {icons.moveToRoom}
        {label}
      </MenuItem>
      <Popover className="menu-popover">
        <Menu className="menu" aria-label={label}>
          {rooms.map(({ id, name }) => (
            <MenuItem key={id} className="menu-item" textValue={name} onAction={() => onMove(id)}>
              <bdi className="menu-item-words">{name}</bdi>
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </SubmenuTrigger>
  );
}
