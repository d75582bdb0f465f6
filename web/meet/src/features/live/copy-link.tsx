import { Button } from "@conclave/ui/button";
import { CopyOutcome } from "@conclave/ui/copy-outcome";
import { useCopy } from "@conclave/ui/use-copy";
import { Check, Copy } from "lucide-react";
import { useTranslation } from "react-i18next";

export interface CopyLinkProps {
  readonly url: string;
  readonly look?: "plain" | "primary";
}

export function CopyLink({ url, look = "plain" }: CopyLinkProps) {
  const { t } = useTranslation();
  const { outcome, copy } = useCopy(url);
  const icon = outcome === "copied" ? <Check size={16} /> : <Copy size={16} />;
  return (
    <>
      <Button look={look} icon={icon} onPress={copy}>
        {t("tiles.copyLink")}
      </Button>
      <CopyOutcome
        text={url}
        outcome={outcome}
        copiedLabel={t("tiles.copied")}
        failedLabel={t("tiles.copyFailed")}
      />
    </>
  );
}
