import { CallButton } from "@conclave/ui/call-button";
import { Confirm } from "@conclave/ui/confirm";
import { LogOut, PhoneOff } from "lucide-react";
import { useState } from "react";
import { Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { useTranslation } from "react-i18next";
import "@conclave/ui/menu.css";

export interface LeaveMenuProps {
  readonly onLeave: () => void;
  readonly onEnd: () => void;
}

/** The menu with which a host leaves, or ends the meeting for everyone. */
export function LeaveMenu({ onLeave, onEnd }: LeaveMenuProps) {
  const { t } = useTranslation();
  const [isEnding, setEnding] = useState(false);
  return (
    <>
      <MenuTrigger>
        <CallButton label={t("controls.leave")} look="leave" icon={<LogOut size={20} />} />
        <Popover className="menu-popover" placement="top end">
          <Menu className="menu" aria-label={t("controls.leave")}>
            <MenuItem className="menu-item" textValue={t("controls.leave")} onAction={onLeave}>
              <LogOut size={20} />
              {t("controls.leave")}
            </MenuItem>
            <MenuItem
              className="menu-item menu-item-danger"
              textValue={t("controls.end")}
              onAction={() => setEnding(true)}
            >
              <PhoneOff size={20} />
              {t("controls.end")}
            </MenuItem>
          </Menu>
        </Popover>
      </MenuTrigger>
      {isEnding ? (
        <Confirm
          title={t("controls.endTitle")}
          text={t("controls.endText")}
          confirmLabel={t("controls.end")}
          cancelLabel={t("cancel")}
          onConfirm={() => {
            setEnding(false);
            onEnd();
          }}
          onCancel={() => setEnding(false)}
        />
      ) : null}
    </>
  );
}
