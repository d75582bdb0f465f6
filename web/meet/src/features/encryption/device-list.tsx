import type { GroupMember } from "@conclave/client";
import { Named } from "@conclave/ui/named";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { DeviceLine } from "./device-lines";
import { DigitGroups } from "./digit-groups";

export interface DeviceListProps {
  readonly lines: readonly DeviceLine[];
  readonly onVerify: (member: GroupMember, isVerified: boolean) => void;
}

/** The devices that have the keys, each with its number and a mark that the person sets. */
export function DeviceList({ lines, onVerify }: DeviceListProps) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className="info-title">
        {t("compare.devices")}
      </h3>
      <p className="compare-text">{t("compare.devicesExplain")}</p>
      <ul className="compare-devices" aria-labelledby={id}>
        {lines.map((line) => (
          <Device key={line.key} line={line} onVerify={onVerify} />
        ))}
      </ul>
    </section>
  );
}

interface DeviceProps {
  readonly line: DeviceLine;
  readonly onVerify: DeviceListProps["onVerify"];
}

function Device({ line: { member, isMe, isNew, isVerified }, onVerify }: DeviceProps) {
  const { t } = useTranslation();
  const id = useId();
  const { name } = member;
  return (
    <li className="compare-device">
      <div className="compare-device-head">
        <bdi id={`${id}-name`} className="compare-device-name">
          {isMe ? <Named name={name} words={(who) => t("tiles.you", { name: who })} /> : name}
        </bdi>
        {isNew ? <span className="compare-new">{t("compare.new")}</span> : null}
        {isMe ? null : (
          <label className="compare-verified">
            <input
              type="checkbox"
              checked={isVerified}
              aria-describedby={`${id}-name`}
              onChange={(event) => onVerify(member, event.currentTarget.checked)}
            />
            {t("compare.verified")}
          </label>
        )}
      </div>
      <DigitGroups groups={member.fingerprint} />
    </li>
  );
}
