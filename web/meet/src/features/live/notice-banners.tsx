import type { Notice } from "@conclave/client";
import { Banner, Dismiss, PassingBanner } from "@conclave/ui/banner";
import { Button } from "@conclave/ui/button";
import { useObservable } from "@conclave/ui/use-observable";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import type { LiveMeeting } from "./live-meeting";

/** Tells the person what hosts did to them. */
export function NoticeBanners({ meeting }: { readonly meeting: LiveMeeting }) {
  const { t } = useTranslation();
  const notices = useObservable(meeting.notices);
  return notices.map((notice) =>
    notice.kind === "on_stage" ? (
      <OnStage key={notice.id} meeting={meeting} notice={notice} />
    ) : notice.kind === "asked_to_unmute" ? (
      <AskedToUnmute key={notice.id} meeting={meeting} notice={notice} />
    ) : (
      <PassingBanner
        dismissLabel={t("banner.dismiss")}
        key={notice.id}
        onOver={() => meeting.dismiss(notice)}
      >
        {t(`banner.notice.${notice.kind}`)}
      </PassingBanner>
    ),
  );
}

interface OfferProps {
  readonly meeting: LiveMeeting;
  readonly notice: Notice;
}

/** Offers microphone and camera. They are never switched on for the person. */
function OnStage({ meeting, notice }: OfferProps) {
  const { t } = useTranslation();
  const hasMicrophone = useObservable(meeting.localMedia.microphone).on;
  const hasCamera = useObservable(meeting.localMedia.camera).on;
  const isTaken = hasMicrophone && hasCamera;
  useEffect(() => {
    if (isTaken) meeting.dismiss(notice);
  }, [isTaken, meeting, notice]);
  return (
    <Banner>
      <p className="banner-text">{t("banner.notice.on_stage")}</p>
      {hasMicrophone ? null : (
        <Button onPress={() => void meeting.setMicrophone(true).catch(() => {})}>
          {t("controls.unmute")}
        </Button>
      )}
      {hasCamera ? null : (
        <Button onPress={() => void meeting.setCamera(true).catch(() => {})}>
          {t("controls.startCamera")}
        </Button>
      )}
      <Dismiss label={t("banner.dismiss")} onPress={() => meeting.dismiss(notice)} />
    </Banner>
  );
}

/** Offers the microphone until the person answers. It is never switched on for them. */
function AskedToUnmute({ meeting, notice }: OfferProps) {
  const { t } = useTranslation();
  const isHeard = useObservable(meeting.localMedia.microphone).on;
  useEffect(() => {
    if (isHeard) meeting.dismiss(notice);
  }, [isHeard, meeting, notice]);
  return (
    <Banner>
      <p className="banner-text">{t("banner.notice.asked_to_unmute")}</p>
      <Button look="primary" onPress={() => void meeting.setMicrophone(true).catch(() => {})}>
        {t("controls.unmute")}
      </Button>
      <Dismiss label={t("banner.dismiss")} onPress={() => meeting.dismiss(notice)} />
    </Banner>
  );
}
