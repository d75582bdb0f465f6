import { Button } from "@conclave/ui/button";
import { useTranslation } from "react-i18next";
import type { Download } from "./use-download";

export interface DownloadLineProps {
  readonly download: Download;
  readonly locale: string;
}

/** The progress and the result of a download. */
export function DownloadLine({ download, locale }: DownloadLineProps) {
  const { t } = useTranslation();
  const { state } = download;
  switch (state.kind) {
    case "idle":
      return null;
    case "running": {
      const percent = new Intl.NumberFormat(locale, { style: "percent" }).format(state.share);
      const text = t("recordings.downloading", { percent });
      return (
        <div className="recordings-download">
          <progress className="recordings-progress" value={state.share} aria-label={text} />
          <span className="member-note">{text}</span>
          <Button look="quiet" onPress={download.cancel}>
            {t("recordings.cancelDownload")}
          </Button>
        </div>
      );
    }
    case "done":
      return (
        <p className="member-note recordings-download" role="status">
          {t("recordings.downloaded")}
        </p>
      );
    case "failed":
      return (
        <p className="member-failure" role="alert">
          {t(state.problem.key, state.problem.values)}
        </p>
      );
  }
}
