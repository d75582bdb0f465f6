import type { Notice } from "@conclave/client";
import { Banner, Dismiss, PassingBanner } from "@conclave/ui/banner";
import { Button } from "@conclave/ui/button";
import { useObservable } from "@conclave/ui/use-observable";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import type { LiveMeeting } from "./live-meeting";

/** Tells the person what hosts did to them, until they switch on what it is about. */
export function NoticeBanners({ meeting }: { readonly meeting: LiveMeeting }) {
  const { t } = useTranslation();
  const notices = useObservable(meeting.notices);
  const isHeard = useObservable(meeting.localMedia.microphone).on;
  const isSeen = useObservable(meeting.localMedia.camera).on;
  useEffect(() => {
    for (const notice of notices) if (isOver(notice, isHeard, isSeen)) meeting.dismiss(notice);
  }, [meeting, notices, isHeard, isSeen]);
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

/** Whether the person has switched on what a notice is about. */
function isOver({ kind }: Notice, isHeard: boolean, isSeen: boolean): boolean {
  switch (kind) {
    case "muted_by_host":
    case "asked_to_unmute":
      return isHeard;
    case "camera_stopped":
      return isSeen;
    case "on_stage":
      return isHeard && isSeen;
    default:
      return false;
  }
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
