import { limits } from "@conclave/client";
import { RenameSheet } from "@conclave/ui/rename-sheet";
import { useTranslation } from "react-i18next";

export interface OwnNameDialogProps {
  readonly name: string;
  /** Resolves to what the person is told if it fails. */
  readonly rename: (name: string) => Promise<string | null>;
  readonly onClose: () => void;
}

/** Asks for the person's own new name. */
export function OwnNameDialog(props: OwnNameDialogProps) {
  const { t } = useTranslation();
  return (
    <RenameSheet
      {...props}
      title={t("people.choice.rename")}
      closeLabel={t("close")}
      label={t("join.name")}
      missing={t("join.nameMissing")}
      saveLabel={t("people.save")}
      maxLength={limits.personName}
      autoComplete="name"
    />
  );
}
