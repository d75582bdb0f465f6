import { limits } from "@conclave/client";
import { Button } from "@conclave/ui/button";
import { TextField } from "@conclave/ui/text-field";
import { Megaphone } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";

export interface AnnouncementFormProps {
  readonly onAnnounce: (message: string) => Promise<boolean>;
}

/** Sends a message to everybody in every room. */
export function AnnouncementForm({ onAnnounce }: AnnouncementFormProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const trimmed = text.trim();
  const send = async () => {
    if (trimmed === "") return;
    setText("");
    // Puts back a text that was not sent, unless the person has begun a new one.
    if (!(await onAnnounce(trimmed))) setText((current) => (current === "" ? trimmed : current));
  };
  return (
    <form
      className="breakout-announcement"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <TextField
        label={t("breakout.announcement")}
        value={text}
        onChange={setText}
        maxLength={limits.announcement}
        autoComplete="off"
      />
      <p className="breakout-hint">{t("breakout.announcementHint")}</p>
      <Button type="submit" icon={<Megaphone size={16} />} isDisabled={trimmed === ""}>
        {t("breakout.announce")}
      </Button>
    </form>
  );
}
