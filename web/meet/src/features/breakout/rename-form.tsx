import { Button } from "@conclave/ui/button";
import { ownKey } from "@conclave/ui/own-key";
import { TextField } from "@conclave/ui/text-field";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { nameLimit } from "./plan";

export interface RenameFormProps {
  readonly name: string;
  readonly onRename: (name: string) => void;
  readonly onDone: () => void;
}

/** Renames a room; shown in place of its name. */
export function RenameForm({ name, onRename, onDone }: RenameFormProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(name);
  const trimmed = text.trim();
  return (
    <form
      className="breakout-rename"
      onSubmit={(event) => {
        event.preventDefault();
        if (trimmed === "") return;
        if (trimmed !== name) onRename(trimmed);
        onDone();
      }}
      onKeyDown={(event) => {
        if (ownKey(event.nativeEvent) !== "Escape") return;
        // Escape cancels the renaming, and leaves the panel open.
        event.stopPropagation();
        onDone();
      }}
    >
      <TextField
        label={t("breakout.roomName")}
        value={text}
        onChange={setText}
        maxLength={nameLimit}
        autoFocus
      />
      <div className="breakout-room-actions">
        <Button type="submit" isDisabled={trimmed === ""}>
          {t("breakout.save")}
        </Button>
        <Button look="quiet" onPress={onDone}>
          {t("cancel")}
        </Button>
      </div>
    </form>
  );
}
