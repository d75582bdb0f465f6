import { newLinkSecret, withLinkSecret } from "@conclave/client/pre-join";
import { Button } from "@conclave/ui/button";
import { CopyOutcome } from "@conclave/ui/copy-outcome";
import { Sheet } from "@conclave/ui/sheet";
import { useCopy } from "@conclave/ui/use-copy";
import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";

export interface SecretLinkDialogProps {
  readonly url: string;
  readonly onGo: (url: string) => void;
  readonly onClose: () => void;
}

/** Makes a link to a strict room with a secret part, which nothing but this dialog ever has. */
export function SecretLinkDialog({ url, onGo, onClose }: SecretLinkDialogProps) {
  const { t } = useTranslation();
  const [link] = useState(() => withLinkSecret(url, newLinkSecret()));
  const { outcome, copy } = useCopy(link);
  return (
    <Sheet title={t("home.secretLink")} closeLabel={t("close")} isOpen isForm onClose={onClose}>
      <div className="workspace-form">
        <p>{t("home.secretLinkText")}</p>
        <p className="workspace-link">{link}</p>
        <p className="workspace-hint">{t("home.secretLinkOnce")}</p>
        <div className="workspace-form-actions">
          <Button onPress={() => onGo(link)}>{t("home.joinSecretLink")}</Button>
          <Button
            look="primary"
            icon={outcome === "copied" ? <Check size={16} /> : <Copy size={16} />}
            onPress={copy}
          >
            {t("home.copyLink")}
          </Button>
        </div>
        <CopyOutcome
          text={link}
          outcome={outcome}
          copiedLabel={t("home.copied")}
          failedLabel={t("home.copyFailed")}
        />
      </div>
    </Sheet>
  );
}
