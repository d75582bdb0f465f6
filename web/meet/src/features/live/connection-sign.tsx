import { Button, Dialog, DialogTrigger, Popover } from "react-aria-components";
import { useTranslation } from "react-i18next";

export interface ConnectionSignProps {
  readonly quality: "poor" | "lost";
}

/** A connection that is not good, drawn as bars. Pressing it explains what that means. */
export function ConnectionSign({ quality }: ConnectionSignProps) {
  const { t } = useTranslation();
  return (
    <DialogTrigger>
      <Button
        className={`connection-sign connection-sign-${quality}`}
        aria-label={t(`tiles.quality.${quality}`)}
      >
        <svg viewBox="0 0 16 16" width={16} height={16} aria-hidden="true">
          <rect x="1" y="10" width="4" height="5" rx="1" />
          <rect x="6" y="6" width="4" height="9" rx="1" />
          <rect x="11" y="1" width="4" height="14" rx="1" />
        </svg>
      </Button>
      <Popover className="connection-note" placement="top start" offset={8}>
        <Dialog className="connection-note-text" aria-label={t(`tiles.quality.${quality}`)}>
          {t(`tiles.qualityMeans.${quality}`)}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
