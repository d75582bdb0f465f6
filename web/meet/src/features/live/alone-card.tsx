import { useObservable } from "@conclave/ui/use-observable";
import { useTranslation } from "react-i18next";
import { CopyLink } from "./copy-link";
import type { Invitation } from "./invitation";
import type { LiveMeeting } from "./live-meeting";
import "./alone-card.css";

export interface AloneCardProps {
  readonly meeting: LiveMeeting;
  readonly invitation: Invitation;
}

/** Shows the first person in a room the link, so that they can invite others. */
export function AloneCard({ meeting, invitation }: AloneCardProps) {
  const { t } = useTranslation();
  const room = useObservable(meeting.room);
  if (!room) return null;
  return (
    <section className="alone" aria-label={t("tiles.first")}>
      <h2 className="alone-title">{t("tiles.first")}</h2>
      <p>{t("tiles.firstNext")}</p>
      <p className="alone-link">{room.url}</p>
      {invitation.hasSecret ? <p>{t("info.secretCopied")}</p> : null}
      <CopyLink url={invitation.link} look="primary" />
    </section>
  );
}
