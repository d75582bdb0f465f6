import { Banner, BannerLine, PassingBanner } from "@conclave/ui/banner";
import { Button } from "@conclave/ui/button";
import { useObservable } from "@conclave/ui/use-observable";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { LiveMeeting } from "./live-meeting";
import { NoticeBanners } from "./notice-banners";
import type { Failure } from "./use-failure";
import "./banners.css";

export interface BannersProps {
  readonly meeting: LiveMeeting;
  readonly failure: Failure;
  /** On a phone one banner at a time covers the picture. */
  readonly isSingle: boolean;
  /** What features show. */
  readonly children: ReactNode;
}

/** The banners above the tiles. */
export function Banners({ meeting, failure, isSingle, children }: BannersProps) {
  const { t } = useTranslation();
  const phase = useObservable(meeting.phase);
  const soundBlocked = useObservable(meeting.soundBlocked);
  const encryption = useObservable(meeting.encryption);
  return (
    <BannerLine isSingle={isSingle}>
      <div className="banners">
        {phase.kind === "connecting" ? (
          <Banner rank="alarm">{t("banner.connecting")}</Banner>
        ) : null}
        {phase.kind === "reconnecting" ? (
          <Banner tone="amber" rank="alarm">
            {t("banner.reconnecting")}
          </Banner>
        ) : null}
        {encryption === "key_mismatch" ? (
          <Banner tone="danger" rank="alarm">
            {t("banner.keyMismatch")}
          </Banner>
        ) : null}
        {soundBlocked ? (
          <Banner tone="amber" rank="alarm">
            {t("banner.soundBlocked")}
            <Button onPress={() => void meeting.startSound().catch(() => {})}>
              {t("banner.playSound")}
            </Button>
          </Banner>
        ) : null}
        {children}
        <NoticeBanners meeting={meeting} />
        {failure.text === null ? null : (
          <PassingBanner
            key={failure.text}
            dismissLabel={t("banner.dismiss")}
            onOver={failure.dismiss}
          >
            {failure.text}
          </PassingBanner>
        )}
      </div>
    </BannerLine>
  );
}
