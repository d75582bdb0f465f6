import { Button } from "@conclave/ui/button";
import { IconButton } from "@conclave/ui/icon-button";
import { useObservable } from "@conclave/ui/use-observable";
import { X } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";
import type { LiveMeeting } from "./live-meeting";
import "./banners.css";

export interface BannersProps {
  readonly meeting: LiveMeeting;
  /** Something the person asked for did not work. */
  readonly failure: string | null;
  readonly onFailureSeen: () => void;
  readonly children: ReactNode;
}

const noticeTime = 8000;

/** What the person has to know now, above the stage. */
export function Banners({ meeting, failure, onFailureSeen, children }: BannersProps) {
  const { t } = useTranslation();
  const phase = useObservable(meeting.phase);
  const notices = useObservable(meeting.notices);
  const soundBlocked = useObservable(meeting.soundBlocked);
  const encryption = useObservable(meeting.encryption);
  return (
    <div className="banners">
      {phase.kind === "connecting" ? <Banner>{t("banner.connecting")}</Banner> : null}
      {phase.kind === "reconnecting" ? (
        <Banner tone="amber">{t("banner.reconnecting")}</Banner>
      ) : null}
      {encryption === "key_mismatch" ? (
        <Banner tone="danger">{t("banner.keyMismatch")}</Banner>
      ) : null}
      {soundBlocked ? (
        <Banner tone="amber">
          {t("banner.soundBlocked")}
          <Button onPress={() => void meeting.startSound().catch(() => {})}>
            {t("banner.playSound")}
          </Button>
        </Banner>
      ) : null}
      {children}
      {notices.map((notice) => (
        <Passing key={notice.id} onOver={() => meeting.dismiss(notice)}>
          {notice.kind === "muted_by_host"
            ? t("banner.mutedByHost")
            : t("banner.cameraStoppedByHost")}
        </Passing>
      ))}
      {failure === null ? null : (
        <Passing key={failure} onOver={onFailureSeen}>
          {failure}
        </Passing>
      )}
    </div>
  );
}

interface BannerProps {
  readonly children: ReactNode;
  readonly tone?: "plain" | "amber" | "danger";
}

function Banner({ children, tone = "plain" }: BannerProps) {
  return (
    <div className={`banner banner-${tone}`} role="status">
      {children}
    </div>
  );
}

/** Goes by itself after a while, or at once. */
function Passing({ children, onOver }: { children: ReactNode; onOver: () => void }) {
  const { t } = useTranslation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time runs from when it appeared.
  useEffect(() => {
    const timer = setTimeout(onOver, noticeTime);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Banner>
      {children}
      <IconButton label={t("banner.dismiss")} icon={<X size={16} />} onPress={onOver} />
    </Banner>
  );
}
