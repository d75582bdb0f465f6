import type { BreakoutPerson, BreakoutRoom } from "@conclave/client";
import { MenuButton } from "@conclave/ui/menu-button";
import { useId } from "react";
import { Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { useTranslation } from "react-i18next";
import "@conclave/ui/menu.css";

export interface PersonLineProps {
  readonly person: BreakoutPerson;
  /** What to show if they are not there. */
  readonly absence: string;
  readonly rooms: readonly BreakoutRoom[];
  /** The room they were assigned; null: none. */
  readonly current: string | null;
  /** Null for a person who cannot be moved. */
  readonly onMove: ((person: string, breakoutId: string | null) => void) | null;
}

/** A person in a host's list of rooms, with a menu of the other rooms. */
export function PersonLine({ person, absence, rooms, current, onMove }: PersonLineProps) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <li className="breakout-person">
      <span className="breakout-person-name">
        <bdi id={id}>{person.name}</bdi>
        {person.present ? null : <span className="breakout-absent">{absence}</span>}
      </span>
      {onMove ? (
        <MenuTrigger>
          <MenuButton look="quiet" aria-describedby={id}>
            {t("breakout.move")}
          </MenuButton>
          <Popover className="menu-popover" placement="bottom end">
            <Menu className="menu" aria-label={t("breakout.moveWhom", { name: person.name })}>
              {current === null ? null : (
                <MenuItem
                  className="menu-item"
                  textValue={t("breakout.mainRoom")}
                  onAction={() => onMove(person.id, null)}
                >
                  {t("breakout.mainRoom")}
                </MenuItem>
              )}
              {rooms
                .filter((room) => room.id !== current)
                .map((room) => (
                  <MenuItem
                    key={room.id}
                    id={room.id}
                    className="menu-item"
                    textValue={room.name}
                    onAction={() => onMove(person.id, room.id)}
                  >
                    <bdi className="menu-item-words">{room.name}</bdi>
                  </MenuItem>
                ))}
            </Menu>
          </Popover>
        </MenuTrigger>
      ) : null}
    </li>
  );
}
