import { Button } from "@conclave/ui/button";
import { useCopy } from "@conclave/ui/use-copy";
import { Check, Copy } from "lucide-react";
import { useTranslation } from "react-i18next";

export interface CopyLinkProps {
  readonly url: string;
  readonly look?: "plain" | "primary";
}

export function CopyLink({ url, look = "plain" }: CopyLinkProps) {
  const { t } = useTranslation();
  const { isCopied, copy } = useCopy(url);
  return (
    <>
      <Button look={look} icon={isCopied ? <Check size={16} /> : <Copy size={16} />} onPress={copy}>
        {t("tiles.copyLink")}
      </Button>
      <span className="visually-hidden" role="status">
        {isCopied ? t("tiles.copied") : ""}
      </span>
    </>
  );
}
