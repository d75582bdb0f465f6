import type { RoomChange, RoomInfo } from "@conclave/client/pre-join";
import { SelectField } from "@conclave/ui/select-field";
import { SwitchField } from "@conclave/ui/switch-field";
import { startTransition, useOptimistic, useState } from "react";
import { useTranslation } from "react-i18next";
import { changed } from "./changed";
import "./host-controls-panel.css";

export interface HostControlsPanelProps {
  readonly room: RoomInfo;
  /** Resolves when the room has the change. */
  readonly onChange: (change: RoomChange) => Promise<void>;
}

/**
 * The room settings that its own hosts change. Shown at once, and taken back if the change fails.
 */
export function HostControlsPanel({ room, onChange }: HostControlsPanelProps) {
  const { t } = useTranslation();
  const [shown, expect] = useOptimistic(room, changed);
  const [hasFailed, setFailed] = useState(false);
  const apply = (change: RoomChange) => {
    setFailed(false);
    startTransition(async () => {
      expect(change);
      await onChange(change).catch(() => setFailed(true));
    });
  };

  return (
    <div className="panel-body host-controls">
      {hasFailed ? (
        <p className="host-controls-failure" role="alert">
          {t("hosting.failed")}
        </p>
      ) : null}
      <DoorSettings room={shown} onChange={apply} />
      <MeetingSettings settings={shown.settings} onChange={(settings) => apply({ settings })} />
    </div>
  );
}

interface DoorSettingsProps {
  readonly room: RoomInfo;
  readonly onChange: (change: RoomChange) => void;
}

/** Who may come in, and how. */
function DoorSettings({ room: { locked, settings }, onChange }: DoorSettingsProps) {
  const { t } = useTranslation();
  return (
    <section className="host-controls-group" aria-label={t("hosting.door")}>
      <h3 className="host-controls-title">{t("hosting.door")}</h3>
      <SwitchField
        label={t("hosting.lock")}
        hint={t("hosting.lockHint")}
        isOn={locked}
        onChange={(on) => onChange({ locked: on })}
      />
      <SelectField
        label={t("hosting.access")}
        isLabelShown
        value={settings.access}
        options={[
          { value: "link", label: t("hosting.accessLink") },
          { value: "members", label: t("hosting.accessMembers") },
        ]}
        onChange={(value) =>
          onChange({ settings: { access: value === "members" ? "members" : "link" } })
        }
      />
      <SelectField
        label={t("hosting.admission")}
        isLabelShown
        value={settings.admission}
        options={[
          { value: "direct", label: t("hosting.admissionDirect") },
          { value: "knock", label: t("hosting.admissionKnock") },
        ]}
        onChange={(value) =>
          onChange({ settings: { admission: value === "knock" ? "knock" : "direct" } })
        }
      />
    </section>
  );
}

interface MeetingSettingsProps {
  readonly settings: RoomInfo["settings"];
  readonly onChange: (change: RoomChange["settings"] & object) => void;
}

/** What people may do in the meeting. */
function MeetingSettings({ settings, onChange }: MeetingSettingsProps) {
  const { t } = useTranslation();
  return (
    <section className="host-controls-group" aria-label={t("hosting.meeting")}>
      <h3 className="host-controls-title">{t("hosting.meeting")}</h3>
      <SelectField
        label={t("hosting.share")}
        isLabelShown
        value={settings.screen_share}
        options={[
          { value: "everyone", label: t("hosting.shareEveryone") },
          { value: "hosts", label: t("hosting.shareHosts") },
        ]}
        onChange={(value) => onChange({ screen_share: value === "hosts" ? "hosts" : "everyone" })}
      />
      <SwitchField
        label={t("hosting.chat")}
        isOn={settings.chat}
        onChange={(chat) => onChange({ chat })}
      />
      <SwitchField
        label={t("hosting.reactions")}
        isOn={settings.reactions}
        onChange={(reactions) => onChange({ reactions })}
      />
      <SwitchField
        label={t("hosting.muteOnEntry")}
        isOn={settings.mute_on_entry}
        onChange={(on) => onChange({ mute_on_entry: on })}
      />
      <SwitchField
        label={t("hosting.cameraOffOnEntry")}
        isOn={settings.camera_off_on_entry}
        onChange={(on) => onChange({ camera_off_on_entry: on })}
      />
    </section>
  );
}
