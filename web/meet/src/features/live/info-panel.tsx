import { useObservable } from "@conclave/ui/use-observable";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CopyLink } from "./copy-link";
import type { Invitation } from "./invitation";
import type { LiveMeeting } from "./live-meeting";
import "./info-panel.css";

export interface InfoPanelProps {
  readonly meeting: LiveMeeting;
  readonly invitation: Invitation;
  /** What the feature of encryption shows. */
  readonly encryption: ReactNode;
}

/** The panel with the meeting's room, its link and its encryption. */
export function InfoPanel({ meeting, invitation, encryption }: InfoPanelProps) {
  const { t } = useTranslation();
  const room = useObservable(meeting.room);
  if (!room) return null;
  return (
    <div className="panel-body info">
      <section>
        <h3 className="info-title">{t("info.room")}</h3>
        <p dir="auto">{room.name}</p>
      </section>
      <section>
        <h3 className="info-title">{t("info.link")}</h3>
        <p className="info-link">{room.url}</p>
        {invitation.hasSecret ? <p className="info-note">{t("info.secretCopied")}</p> : null}
        <CopyLink url={invitation.link} />
      </section>
      {encryption}
    </div>
  );
}
