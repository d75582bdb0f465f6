import { Avatar } from "@conclave/ui/avatar";
import { avatarIds } from "@conclave/ui/avatar-art";
import { OwnLanguage } from "@conclave/ui/own-language";
import { Tip } from "@conclave/ui/tip";
import { useId } from "react";
import { Button, Dialog, DialogTrigger, Popover } from "react-aria-components";
import { useTranslation } from "react-i18next";
import "@conclave/ui/menu.css";
import "./avatar-picker.css";

export interface AvatarPickerProps {
  readonly name: string;
  readonly avatar: string | null;
  readonly onChange: (avatar: string | null) => void;
}

/**
 * Chooses the picture that others see while the camera is off. The choices are the browser's own
 * radio buttons, because this is a part of the page before a call.
 */
export function AvatarPicker({ name, avatar, onChange }: AvatarPickerProps) {
  const { t, i18n } = useTranslation();
  const group = useId();
  return (
    <OwnLanguage language={i18n.language}>
      <DialogTrigger>
        <Tip text={t("join.avatar")}>
          <Button className="avatar-picker-button" aria-label={t("join.avatar")}>
            <Avatar name={name} avatar={avatar} />
          </Button>
        </Tip>
        <Popover className="menu-popover" placement="top">
          <Dialog aria-label={t("join.avatar")} className="avatar-picker">
            <div role="radiogroup" aria-label={t("join.avatar")} className="avatar-picker-grid">
              {[null, ...avatarIds].map((id, index) => (
                <label key={id} className="avatar-option">
                  <input
                    type="radio"
                    className="visually-hidden"
                    name={group}
                    aria-label={
                      id === null ? t("join.avatarNone") : t("join.avatarNumber", { number: index })
                    }
                    checked={avatar === id}
                    onChange={() => onChange(id)}
                  />
                  <Avatar name={name} avatar={id} />
                </label>
              ))}
            </div>
          </Dialog>
        </Popover>
      </DialogTrigger>
    </OwnLanguage>
  );
}
