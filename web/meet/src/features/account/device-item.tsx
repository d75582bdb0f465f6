import type { MemberDevice } from "@conclave/client/recording/member-service";
import { Button } from "@conclave/ui/button";
import { Confirm } from "@conclave/ui/confirm";
import { Named } from "@conclave/ui/named";
import { readingLocale } from "@conclave/ui/when";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";

export interface DeviceItemProps {
  readonly device: MemberDevice;
  /** Whether it is the browser that shows this. */
  readonly isOwn: boolean;
  readonly onRevoke: () => void;
}

/** A device, with a button to revoke it. */
export function DeviceItem({ device, isOwn, onRevoke }: DeviceItemProps) {
  const { t, i18n } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  const nameId = useId();
  const locale = readingLocale(i18n.language, navigator.languages);
  // A day stays on one line.
  const day = (time: string) =>
    new Date(time).toLocaleDateString(locale, { dateStyle: "medium" }).replaceAll(" ", "\u00a0");
  const { name, created_at, last_used_at } = device;
  return (
    <li className="calendars-item">
      <div className="calendars-item-text">
        <p className="account-name" id={nameId}>
          <bdi>{name}</bdi>
          {isOwn ? <span className="account-note"> · {t("devices.own")}</span> : null}
        </p>
        <p className="account-note">
          {t("devices.dates", { added: day(created_at), used: day(last_used_at) })}
        </p>
      </div>
      <Button look="quiet-danger" aria-describedby={nameId} onPress={() => setAsking(true)}>
        {t("devices.revoke")}
      </Button>
      {isAsking ? (
        <Confirm
          title={
            <Named name={name} words={(device) => t("devices.revokeTitle", { name: device })} />
          }
          text={t("devices.revokeText")}
          confirmLabel={t("devices.revoke")}
          cancelLabel={t("devices.cancel")}
          onConfirm={() => {
            setAsking(false);
            onRevoke();
          }}
          onCancel={() => setAsking(false)}
        />
      ) : null}
    </li>
  );
}
