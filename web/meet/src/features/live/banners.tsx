import { Banner, PassingBanner } from "@conclave/ui/banner";
import { Button } from "@conclave/ui/button";
import { useObservable } from "@conclave/ui/use-observable";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { LiveMeeting } from "./live-meeting";
import { NoticeBanners } from "./notice-banners";
import { WaitingBanner } from "./waiting-banner";
import "./banners.css";

export interface BannersProps {
  readonly meeting: LiveMeeting;
  /** Something the person asked for did not work. */
  readonly failure: string | null;
  readonly onFailureSeen: () => void;
  readonly onViewPeople: (() => void) | null;
  readonly children: ReactNode;
}

/** What the person has to know now, above the stage. */
export function Banners(props: BannersProps) {
  const { meeting, failure, onFailureSeen, onViewPeople, children } = props;
  const { t } = useTranslation();
  const phase = useObservable(meeting.phase);
  const soundBlocked = useObservable(meeting.soundBlocked);
  const waiting = useObservable(meeting.waiting);
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
      <WaitingBanner waiting={waiting} onView={onViewPeople} />
      <NoticeBanners meeting={meeting} />
      {failure === null ? null : (
        <PassingBanner dismissLabel={t("banner.dismiss")} key={failure} onOver={onFailureSeen}>
          {failure}
        </PassingBanner>
      )}
    </div>
  );
}
