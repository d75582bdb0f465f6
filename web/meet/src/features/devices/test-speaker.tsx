import { Button } from "@conclave/ui/button";
import { useTranslation } from "react-i18next";
import { playChime } from "./chime";

/** Plays a short chime on the chosen speaker. */
export function TestSpeaker({ speaker }: { readonly speaker: string }) {
  const { t } = useTranslation();
  return (
    <Button look="quiet" onPress={() => void playChime(speaker)}>
      {t("devices.test")}
    </Button>
  );
}
