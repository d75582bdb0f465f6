import type { EncryptionState, GroupMember, GroupState, RoomInfo } from "@conclave/client";
import { useTranslation } from "react-i18next";
import { CompareCode, type CompareCodeProps } from "./compare-code";
import type { DeviceLine } from "./device-lines";
import { DeviceList } from "./device-list";
import { EncryptionLine } from "./encryption-state";
import "./encryption.css";

export interface EncryptionSectionProps {
  readonly kind: RoomInfo["encryption"];
  readonly state: EncryptionState;
  /** Whether the link that the person opened has a secret part. */
  readonly hasLinkSecret: boolean;
  /** What there is to compare; null in standard rooms, and while this device has no keys. */
  readonly comparison: Comparison | null;
}

export interface Comparison extends Pick<CompareCodeProps, "extent" | "onCompared"> {
  readonly code: GroupState["code"];
  readonly lines: readonly DeviceLine[];
  readonly onVerify: (member: GroupMember, isVerified: boolean) => void;
}

/** How the meeting is encrypted, in words; in strict rooms also what people compare. */
export function EncryptionSection(props: EncryptionSectionProps) {
  const { kind, state, hasLinkSecret, comparison } = props;
  const { t } = useTranslation();
  return (
    <>
      <section>
        <h3 className="info-title">{t("info.encryption")}</h3>
        <EncryptionLine kind={kind} state={state} />
        <p className="encryption-text">{t(`encryption.explain.${kind}`)}</p>
        {kind === "strict" ? (
          <p className="encryption-text">
            {t(hasLinkSecret ? "encryption.withSecret" : "encryption.withoutSecret")}
          </p>
        ) : null}
        <p className="encryption-text">{t("encryption.seen")}</p>
      </section>
      {comparison ? (
        <>
          <CompareCode {...comparison} isAlone={comparison.lines.length < 2} />
          <DeviceList lines={comparison.lines} onVerify={comparison.onVerify} />
        </>
      ) : null}
    </>
  );
}
