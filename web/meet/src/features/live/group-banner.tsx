import { Banner } from "@conclave/ui/banner";
import { useObservable } from "@conclave/ui/use-observable";
import { useTranslation } from "react-i18next";
import type { LiveMeeting } from "./live-meeting";

/** Says what keeps this device, or somebody else's, from the keys of a strict meeting. */
export function GroupBanner({ meeting }: { readonly meeting: LiveMeeting }) {
  const { t } = useTranslation();
  const phase = useObservable(meeting.phase);
  const group = useObservable(meeting.group);
  const encryption = useObservable(meeting.encryption);
  if (!group) return null;
  if (group.trouble)
    return (
      <Banner tone="danger" rank="alarm">
        {t(`group.${group.trouble.reason}`)}
      </Banner>
    );
  // Before the device is connected, and while it reconnects, another banner says so.
  if (phase.kind !== "connected") return null;
  if (group.state === "starting") return <Banner rank="lasting">{t("group.starting")}</Banner>;
  if (encryption === "incomplete")
    return (
      <Banner tone="amber" rank="lasting">
        {t("group.incomplete")}
      </Banner>
    );
  return null;
}
