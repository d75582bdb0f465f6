import { Button } from "@conclave/ui/button";
import { TextField } from "@conclave/ui/text-field";
import { Megaphone } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";

/** As many characters as the service takes. */
const limit = 300;

export interface AnnouncementFormProps {
  readonly onAnnounce: (message: string) => Promise<boolean>;
}

/** Something for everybody, in whichever room. */
export function AnnouncementForm({ onAnnounce }: AnnouncementFormProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const trimmed = text.trim();
  const send = async () => {
    if (trimmed === "") return;
    setText("");
    // What was not said comes back, unless the person has begun something new.
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
        maxLength={limit}
        autoComplete="off"
      />
      <p className="breakout-hint">{t("breakout.announcementHint")}</p>
      <Button type="submit" icon={<Megaphone size={16} />} isDisabled={trimmed === ""}>
        {t("breakout.announce")}
      </Button>
    </form>
  );
}
