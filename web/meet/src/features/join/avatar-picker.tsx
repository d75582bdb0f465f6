import { Avatar } from "@conclave/ui/avatar";
import { avatarIds } from "@conclave/ui/avatar-art";
import { Button, Dialog, DialogTrigger, Popover, Radio, RadioGroup } from "react-aria-components";
import { useTranslation } from "react-i18next";
import "@conclave/ui/menu.css";
import "./avatar-picker.css";

export interface AvatarPickerProps {
  readonly name: string;
  readonly avatar: string | null;
  readonly onChange: (avatar: string | null) => void;
}

/** Chooses the picture that others see while the camera is off. */
export function AvatarPicker({ name, avatar, onChange }: AvatarPickerProps) {
  const { t } = useTranslation();
  return (
    <DialogTrigger>
      <Button className="avatar-picker-button" aria-label={t("join.avatar")}>
        <Avatar name={name} avatar={avatar} />
      </Button>
      <Popover className="menu-popover" placement="top">
        <Dialog aria-label={t("join.avatar")} className="avatar-picker">
          <RadioGroup
            aria-label={t("join.avatar")}
            className="avatar-picker-grid"
            orientation="horizontal"
            value={avatar ?? "none"}
            onChange={(value) => onChange(value === "none" ? null : value)}
          >
            <Radio value="none" className="avatar-option" aria-label={t("join.avatarNone")}>
              <Avatar name={name} avatar={null} />
            </Radio>
            {avatarIds.map((id, index) => (
              <Radio
                key={id}
                value={id}
                className="avatar-option"
                aria-label={t("join.avatarNumber", { number: index + 1 })}
              >
                <Avatar name={name} avatar={id} />
              </Radio>
            ))}
          </RadioGroup>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
