import type { EncryptionState, RoomInfo } from "@conclave/client";
import { Tip } from "@conclave/ui/tip";
import { KeyRound, LockKeyhole } from "lucide-react";
import { Button } from "react-aria-components";
import { useTranslation } from "react-i18next";
import "./encryption.css";

interface EncryptionStateProps {
  readonly kind: RoomInfo["encryption"];
  readonly state: EncryptionState;
}

/** How the meeting is encrypted at the moment, in a sentence. */
export function EncryptionLine(props: EncryptionStateProps) {
  return (
    <p className={`encryption-state encryption-${props.state}`}>
      <StateIcon state={props.state} size={20} />
      {useStateText(props)}
    </p>
  );
}

/** The same as a lock in the header, with the sentence as its name. Pressing it tells more. */
export function EncryptionSign({
  onMore,
  ...props
}: EncryptionStateProps & { readonly onMore: () => void }) {
  const text = useStateText(props);
  return (
    <Tip text={text}>
      <Button
        className={`encryption-sign encryption-${props.state}`}
        aria-label={text}
        onPress={onMore}
      >
        <StateIcon state={props.state} size={16} />
      </Button>
    </Tip>
  );
}

function StateIcon({ state, size }: { readonly state: EncryptionState; readonly size: number }) {
  const Icon = state === "key_mismatch" ? KeyRound : LockKeyhole;
  return <Icon size={size} aria-hidden="true" />;
}

function useStateText({ kind, state }: EncryptionStateProps): string {
  const { t } = useTranslation();
  switch (state) {
    case "encrypted":
      return t(`encryption.${kind}`);
    case "starting":
      return t("encryption.starting");
    case "key_mismatch":
      return t("encryption.mismatch");
    case "incomplete":
      return t("group.incomplete");
  }
}
