import type { MediaPath } from "@conclave/client";
import { useObservable } from "@conclave/ui/use-observable";
import { type ReactNode, useEffect, useState } from "react";
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

/** The panel with the meeting's room, its link, its encryption and its connection. */
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
      <Connection meeting={meeting} />
    </div>
  );
}

/** How often the way of sound and pictures is looked up; it changes with the network. */
const lookEvery = 3000;

/** Which way sound and pictures take. */
function Connection({ meeting }: { readonly meeting: LiveMeeting }) {
  const { t } = useTranslation();
  const [path, setPath] = useState<MediaPath | null>(null);
  useEffect(() => {
    let isOpen = true;
    const look = async () => {
      const found = await meeting.mediaPath();
      if (isOpen) setPath(found);
    };
    void look();
    const timer = setInterval(() => void look(), lookEvery);
    return () => {
      isOpen = false;
      clearInterval(timer);
    };
  }, [meeting]);
  return (
    <section>
      <h3 className="info-title">{t("info.connection")}</h3>
      <p>{t(`info.path.${path ?? "none"}`)}</p>
    </section>
  );
}
