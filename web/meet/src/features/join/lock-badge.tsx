import { LockKeyhole } from "lucide-react";
import { useTranslation } from "react-i18next";
import "./lock-badge.css";

/** Shows before the meeting how it is encrypted. */
export function LockBadge({ encryption }: { readonly encryption: "standard" | "strict" }) {
  const { t } = useTranslation();
  return (
    <p className="lock-badge">
      <LockKeyhole size={16} aria-hidden="true" />
      {t(`encryption.${encryption}`)}
    </p>
  );
}
