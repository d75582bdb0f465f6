import { IconButton } from "@conclave/ui/icon-button";
import {
  EllipsisVertical,
  MicOff,
  Pin,
  PinOff,
  Presentation,
  ShieldMinus,
  ShieldPlus,
  UserMinus,
  Users,
} from "lucide-react";
import type { ReactNode } from "react";
import { Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { useTranslation } from "react-i18next";
import type { PeopleActs } from "./people-acts";
import type { Choice } from "./person-choices";
import "@conclave/ui/menu.css";

export interface PersonMenuProps {
  readonly identity: string;
  readonly name: string;
  readonly choices: readonly Choice[];
  readonly acts: PeopleActs;
  /** Removing is asked about once more, outside of the menu. */
  readonly onRemove: () => void;
}

const icons: Record<Choice, ReactNode> = {
  pin: <Pin size={20} />,
  unpin: <PinOff size={20} />,
  mute: <MicOff size={20} />,
  makeCohost: <ShieldPlus size={20} />,
  removeCohost: <ShieldMinus size={20} />,
  inviteToStage: <Presentation size={20} />,
  moveToAudience: <Users size={20} />,
  remove: <UserMinus size={20} />,
};

export function PersonMenu({ identity, name, choices, acts, onRemove }: PersonMenuProps) {
  const { t } = useTranslation();
  const does: Record<Choice, () => void> = {
    pin: () => acts.pin(identity),
    unpin: () => acts.pin(null),
    mute: () => acts.mute(identity),
    makeCohost: () => acts.setCohost(identity, true),
    removeCohost: () => acts.setCohost(identity, false),
    inviteToStage: () => acts.setStage(identity, true),
    moveToAudience: () => acts.setStage(identity, false),
    remove: onRemove,
  };
  return (
    <MenuTrigger>
      <IconButton label={t("people.menu", { name })} icon={<EllipsisVertical size={20} />} />
      <Popover className="menu-popover" placement="bottom end">
        <Menu className="menu" aria-label={t("people.menu", { name })}>
          {choices.map((choice) => (
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
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
