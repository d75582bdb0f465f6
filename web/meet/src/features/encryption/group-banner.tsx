import type { EncryptionState, GroupView } from "@conclave/client";
import { Banner } from "@conclave/ui/banner";
import { useTranslation } from "react-i18next";

export interface GroupBannerProps {
  /** Null outside of strict meetings. */
  readonly group: GroupView | null;
  readonly state: EncryptionState;
  /** False before the device is connected, and while it reconnects: another banner says so. */
  readonly isConnected: boolean;
}

/** Says what keeps this device, or somebody else's, from the keys of a strict meeting. */
export function GroupBanner({ group, state, isConnected }: GroupBannerProps) {
  const { t } = useTranslation();
  if (!group) return null;
  if (group.trouble)
    return (
      <Banner tone="danger" rank="alarm">
        {t(`group.${group.trouble.reason}`)}
      </Banner>
    );
  if (!isConnected) return null;
  if (group.state === "starting") return <Banner rank="lasting">{t("group.starting")}</Banner>;
  if (state === "incomplete")
    return (
      <Banner tone="amber" rank="lasting">
        {t("group.incomplete")}
      </Banner>
    );
  return null;
}
