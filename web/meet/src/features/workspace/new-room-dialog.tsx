import { Button } from "@conclave/ui/button";
import { SelectField } from "@conclave/ui/select-field";
import { Sheet } from "@conclave/ui/sheet";
import { TextField } from "@conclave/ui/text-field";
import { useFirstWrong } from "@conclave/ui/use-first-wrong";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { limits } from "../../member/limits";
import { ProblemText } from "../../member/list-frame";
import type { OwnRoom, WorkspaceService } from "./workspace-service";

export interface NewRoomDialogProps {
  readonly service: WorkspaceService;
  readonly onDone: (room: OwnRoom) => void;
  readonly onClose: () => void;
}

/** Creates a room, with the settings that decide who may enter. */
export function NewRoomDialog({ service, onDone, onClose }: NewRoomDialogProps) {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const [access, setAccess] = useState("link");
  const [admission, setAdmission] = useState("direct");
  const [encryption, setEncryption] = useState("standard");
  const [isNameless, setNameless] = useState(false);
  const [tries, setTries] = useState(0);
  const form = useFirstWrong(tries);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const trimmed = name.trim();
    setNameless(trimmed === "");
    setTries(tries + 1);
    if (trimmed === "" || isAsking) return;
    setAsking(true);
    const settings = { access, admission, encryption };
    const outcome = await service.createRoom({ name: trimmed, settings });
    setAsking(false);
    if (outcome.ok) onDone(outcome.value);
    else setRefusal(outcome.code);
  };

  return (
    <Sheet title={t("home.newRoom")} closeLabel={t("close")} isOpen isForm onClose={onClose}>
      <form
        ref={form}
        className="workspace-form"
        onSubmit={(event) => void submit(event)}
        noValidate
      >
        <TextField
          label={t("home.roomName")}
          value={name}
          onChange={(value) => {
            setName(value);
            setNameless(false);
          }}
          maxLength={limits.roomName}
          autoComplete="off"
          error={isNameless ? t("home.roomNameMissing") : null}
          autoFocus
        />
        <SelectField
          label={t("home.access")}
          isLabelShown
          value={access}
          options={[
            { value: "link", label: t("home.accessLink") },
            { value: "members", label: t("home.accessMembers") },
          ]}
          onChange={setAccess}
        />
        <SelectField
          label={t("home.admission")}
          isLabelShown
          value={admission}
          options={[
            { value: "direct", label: t("home.admissionDirect") },
            { value: "knock", label: t("home.admissionKnock") },
          ]}
          onChange={setAdmission}
        />
        <SelectField
          label={t("home.encryption")}
          isLabelShown
          value={encryption}
          options={[
            { value: "standard", label: t("home.encryptionStandard") },
            { value: "strict", label: t("home.encryptionStrict") },
          ]}
          onChange={setEncryption}
          hint={t(`home.encryptionHint.${encryption}`)}
        />
        {refusal ? (
          <div className="member-failure" role="alert">
            <ProblemText code={refusal} />
          </div>
        ) : null}
        <div className="workspace-form-actions">
          <Button type="submit" look="primary" size="large" isDisabled={isAsking}>
            {t("home.createRoom")}
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
