import { Button } from "@conclave/ui/button";
import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";

export interface CopyLinkProps {
  readonly url: string;
  readonly look?: "plain" | "primary";
}

export function CopyLink({ url, look = "plain" }: CopyLinkProps) {
  const { t } = useTranslation();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(url);
    setCopied(true);
    setTimeout(() => setCopied(false), 3000);
  };
  return (
    <>
      <Button
        look={look}
        icon={isCopied ? <Check size={16} /> : <Copy size={16} />}
        onPress={() => void copy().catch(() => setCopied(false))}
      >
        {t("stage.copyLink")}
      </Button>
      <span className="visually-hidden" role="status">
        {isCopied ? t("stage.copied") : ""}
      </span>
    </>
  );
}
