import { Button } from "@conclave/ui/button";
import { useTranslation } from "react-i18next";
import { calendarFilePath, type OwnMeeting } from "./workspace-service";

export interface ScheduleActionsProps {
  /** The meeting to change; null for a new one. */
  readonly meeting: OwnMeeting | null;
  readonly isAsking: boolean;
  readonly onCancelMeeting: () => void;
}

/** The buttons below the fields of a meeting. */
export function ScheduleActions({ meeting, isAsking, onCancelMeeting }: ScheduleActionsProps) {
  const { t } = useTranslation();
  return (
    <div className="workspace-form-actions">
      {meeting ? (
        <Button look="quiet" size="large" onPress={() => download(calendarFilePath(meeting.id))}>
          {t("home.addToCalendar")}
        </Button>
      ) : null}
      {meeting ? (
        <Button look="quiet-danger" size="large" isBusy={isAsking} onPress={onCancelMeeting}>
          {t("home.cancelMeeting")}
        </Button>
      ) : null}
      <Button type="submit" look="primary" size="large" isBusy={isAsking}>
        {meeting ? t("home.save") : t("home.scheduleIt")}
      </Button>
    </div>
  );
}

/** Downloads a file of the service, as if the person had followed a link to it. */
function download(path: string): void {
  const link = document.createElement("a");
  link.href = path;
  link.download = "";
  link.click();
}
