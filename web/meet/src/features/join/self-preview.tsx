import type { LocalMedia } from "@conclave/client/pre-join";
import { useObservable } from "@conclave/ui/use-observable";
import type { ReactNode } from "react";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";

export interface SelfPreviewProps {
  readonly media: Pick<LocalMedia, "camera">;
  /** Shown while the camera is off. */
  readonly placeholder: ReactNode;
}

/** The picture that others will see. Only the person themselves sees it mirrored. */
export function SelfPreview({ media, placeholder }: SelfPreviewProps) {
  const { t } = useTranslation();
  const { on, track } = useObservable(media.camera);
  const show = useCallback(
    (element: HTMLVideoElement | null) => {
      if (element && track) element.srcObject = new MediaStream([track]);
    },
    [track],
  );
  if (on && track) {
    return (
      <video
        ref={show}
        className="preview-video"
        aria-label={t("join.preview")}
        autoPlay
        muted
        playsInline
      />
    );
  }
  return (
    <div className="preview-off">
      {placeholder}
      <p>{on ? t("join.cameraStarting") : t("join.cameraOff")}</p>
    </div>
  );
}
