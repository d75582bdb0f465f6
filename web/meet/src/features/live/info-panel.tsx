import { useObservable } from "@conclave/ui/use-observable";
import { KeyRound, LockKeyhole } from "lucide-react";
import { useTranslation } from "react-i18next";
import { CopyLink } from "./copy-link";
import type { LiveMeeting } from "./live-meeting";
import "./info-panel.css";

/** The panel with the meeting's room, its link and its encryption. */
export function InfoPanel({ meeting }: { readonly meeting: LiveMeeting }) {
  const { t } = useTranslation();
  const room = useObservable(meeting.room);
  const encryption = useObservable(meeting.encryption);
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
        <CopyLink url={room.url} />
      </section>
      <section>
        <h3 className="info-title">{t("info.encryption")}</h3>
        <p className={`info-encryption info-${encryption}`}>
          {encryption === "key_mismatch" ? (
            <KeyRound size={20} aria-hidden="true" />
          ) : (
            <LockKeyhole size={20} aria-hidden="true" />
          )}
          {encryption === "encrypted" ? t(`encryption.${room.encryption}`) : null}
          {encryption === "starting" ? t("encryption.starting") : null}
          {encryption === "key_mismatch" ? t("encryption.mismatch") : null}
        </p>
        <p className="info-explain">{t("encryption.explain")}</p>
      </section>
    </div>
  );
}
