import { Button } from "@conclave/ui/button";
import { SelectField } from "@conclave/ui/select-field";
import { Sheet } from "@conclave/ui/sheet";
import { TextField } from "@conclave/ui/text-field";
import { useFirstWrong } from "@conclave/ui/use-first-wrong";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { limits } from "../../member/limits";
import { Refusal } from "./refusal";
import type { OwnRoom, WorkspaceService } from "./workspace-service";

export interface NewRoomDialogProps {
  readonly service: WorkspaceService;
  readonly onDone: (room: OwnRoom) => void;
  readonly onClose: () => void;
}

/** Creates a room, with the settings that decide who may enter. */
export function NewRoomDialog({ service, onDone, onClose }: NewRoomDialogProps) {
  const { t } = useTranslation();
  const room = useNewRoom(service, onDone);
  return (
    <Sheet title={t("home.newRoom")} closeLabel={t("close")} isOpen isForm onClose={onClose}>
      <form
        ref={room.form}
        className="workspace-form"
        onSubmit={(event) => void room.submit(event)}
        noValidate
      >
        <TextField
          label={t("home.roomName")}
          value={room.name}
          onChange={room.rename}
          maxLength={limits.roomName}
          autoComplete="off"
          error={room.isNameless ? t("home.roomNameMissing") : null}
          autoFocus
        />
        <SettingsFields settings={room.settings} onChange={room.set} />
        <div className="workspace-form-foot">
          <Refusal code={room.refusal} />
          <div className="workspace-form-actions">
            <Button type="submit" look="primary" size="large" isBusy={room.isAsking}>
              {t("home.createRoom")}
            </Button>
          </div>
        </div>
      </form>
    </Sheet>
  );
}

interface Settings {
  readonly access: string;
  readonly admission: string;
  readonly encryption: string;
}

const firstSettings: Settings = { access: "link", admission: "direct", encryption: "standard" };

/** Holds what the form says about the room, and creates the room. */
function useNewRoom(service: WorkspaceService, onDone: (room: OwnRoom) => void) {
  const [name, setName] = useState("");
  const [settings, setSettings] = useState(firstSettings);
  const [isNameless, setNameless] = useState(false);
  const [tries, setTries] = useState(0);
  const form = useFirstWrong(tries);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);

  const rename = (value: string) => {
    setName(value);
    setNameless(false);
  };

  const set = (change: Partial<Settings>) => setSettings((before) => ({ ...before, ...change }));

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const trimmed = name.trim();
    setNameless(trimmed === "");
    setTries(tries + 1);
    if (trimmed === "" || isAsking) return;
    setAsking(true);
    setRefusal(null); // the same refusal is announced again
    const outcome = await service.createRoom({ name: trimmed, settings });
    setAsking(false);
    if (outcome.ok) onDone(outcome.value);
    else setRefusal(outcome.code);
  };

  return { form, name, isNameless, rename, settings, set, refusal, isAsking, submit };
}

interface SettingsFieldsProps {
  readonly settings: Settings;
  readonly onChange: (change: Partial<Settings>) => void;
}

/** The choices of who may enter the room, and of its encryption. */
function SettingsFields({ settings, onChange }: SettingsFieldsProps) {
  const { t } = useTranslation();
  const { access, admission, encryption } = settings;
  return (
    <>
      <SelectField
        label={t("home.access")}
        isLabelShown
        value={access}
        options={[
          { value: "link", label: t("home.accessLink") },
          { value: "members", label: t("home.accessMembers") },
        ]}
        onChange={(value) => onChange({ access: value })}
      />
      <SelectField
        label={t("home.admission")}
        isLabelShown
        value={admission}
        options={[
          { value: "direct", label: t("home.admissionDirect") },
          { value: "knock", label: t("home.admissionKnock") },
        ]}
        onChange={(value) => onChange({ admission: value })}
      />
      <SelectField
        label={t("home.encryption")}
        isLabelShown
        value={encryption}
        options={[
          { value: "standard", label: t("home.encryptionStandard") },
          { value: "strict", label: t("home.encryptionStrict") },
        ]}
        onChange={(value) => onChange({ encryption: value })}
        hint={t(`home.encryptionHint.${encryption}`)}
      />
    </>
  );
}
