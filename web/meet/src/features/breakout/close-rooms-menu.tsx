import { MenuButton } from "@conclave/ui/menu-button";
import { Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { useTranslation } from "react-i18next";
import "@conclave/ui/menu.css";

export interface CloseRoomsMenuProps {
  /** The 60 seconds are running already. */
  readonly isClosing: boolean;
  readonly onEnd: (warn: boolean) => void;
}

/** Closes all rooms, after a minute in which people can finish their sentence, or at once. */
export function CloseRoomsMenu({ isClosing, onEnd }: CloseRoomsMenuProps) {
  const { t } = useTranslation();
  return (
    <MenuTrigger>
      <MenuButton look="danger">{t("breakout.closeAll")}</MenuButton>
      <Popover className="menu-popover" placement="top">
        <Menu className="menu" aria-label={t("breakout.closeAll")}>
          {isClosing ? null : (
            <MenuItem
              className="menu-item"
              textValue={t("breakout.closeWarned")}
              onAction={() => onEnd(true)}
            >
              {t("breakout.closeWarned")}
            </MenuItem>
          )}
          <MenuItem
            className="menu-item menu-item-danger"
            textValue={t("breakout.closeNow")}
            onAction={() => onEnd(false)}
          >
            {t("breakout.closeNow")}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
