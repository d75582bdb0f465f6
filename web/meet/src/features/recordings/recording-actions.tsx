import { Button } from "@conclave/ui/button";
import { IconButton } from "@conclave/ui/icon-button";
import { SelectField } from "@conclave/ui/select-field";
import { Download, Eye, Pencil, Play, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Recording, Visibility } from "./recordings-service";

/** A dialog about one recording. */
export type RecordingDialog = "play" | "rename" | "delete";

export interface RecordingActionsProps {
  readonly recording: Recording;
  /** The element that names the recording. */
  readonly titleId: string;
  readonly isDownloading: boolean;
  readonly onVisibility: (visibility: Visibility) => void;
  readonly onDownload: () => void;
  readonly onOpen: (dialog: RecordingDialog) => void;
}

/** What the person can do with a recording. */
export function RecordingActions(props: RecordingActionsProps) {
  const { recording, titleId, isDownloading, onVisibility, onDownload, onOpen } = props;
  const { t } = useTranslation();
  const { status, visibility, managed = true } = recording;
  const about = { "aria-describedby": titleId };
  return (
    <div className="member-item-actions recordings-actions">
      {managed ? (
        <>
          <div className="recordings-visibility">
            <Eye size={20} aria-hidden="true" />
            <SelectField
              label={t("recordings.visibility")}
              value={visibility}
              options={(["room", "workspace", "private"] as const).map((value) => ({
                value,
                label: t(`recordings.visible.${value}`),
              }))}
              onChange={(value) => onVisibility(value as Visibility)}
            />
          </div>
          <IconButton
            {...about}
            label={t("recordings.rename")}
            icon={<Pencil size={20} />}
            onPress={() => onOpen("rename")}
          />
          <IconButton
            {...about}
            label={t("recordings.delete")}
            look="danger"
            icon={<Trash2 size={20} />}
            onPress={() => onOpen("delete")}
          />
        </>
      ) : null}
      {status === "ready" ? (
        <>
          <IconButton
            {...about}
            label={t("recordings.download")}
            icon={<Download size={20} />}
            isDisabled={isDownloading}
            onPress={onDownload}
          />
          <Button {...about} icon={<Play size={20} />} onPress={() => onOpen("play")}>
            {t("recordings.play")}
          </Button>
        </>
      ) : null}
    </div>
  );
}
