import { RenameSheet } from "@conclave/ui/rename-sheet";
import type { Phrase } from "@conclave/ui/when";
import { useTranslation } from "react-i18next";
import { limits } from "../../member/limits";

export interface TitleDialogProps {
  readonly title: string;
  /** Resolves to the problem, if renaming failed. */
  readonly rename: (title: string) => Promise<Phrase | null>;
  readonly onClose: () => void;
}

/** Asks for a recording's new title. */
export function TitleDialog({ title, rename, onClose }: TitleDialogProps) {
  const { t } = useTranslation();
  return (
    <RenameSheet
      name={title}
      title={t("recordings.rename")}
      closeLabel={t("close")}
      label={t("recordings.newTitle")}
      missing={t("recordings.titleMissing")}
      saveLabel={t("recordings.save")}
      maxLength={limits.recordingTitle}
      autoComplete="off"
      rename={async (wanted) => {
        const problem = await rename(wanted);
        return problem === null ? null : t(problem.key, problem.values);
      }}
      onClose={onClose}
    />
  );
}
