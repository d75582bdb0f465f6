import { Comparing } from "@conclave/client";
import { useObservable } from "@conclave/ui/use-observable";
import { type ReactNode, useState } from "react";
import { deviceLines } from "../features/encryption/device-lines";
import { type Comparison, EncryptionSection } from "../features/encryption/encryption-section";
import { EncryptionSign } from "../features/encryption/encryption-state";
import { GroupBanner } from "../features/encryption/group-banner";
import { NewDeviceBanner } from "../features/encryption/new-device-banner";
import type { LiveMeeting } from "../features/live/live-meeting";
import type { Screen } from "../features/live/use-screen";

interface EncryptionParts {
  /** For the panel with information about the meeting. */
  readonly section: ReactNode;
  /** For the header. */
  readonly sign: ReactNode;
  readonly banners: ReactNode;
}

/** What the feature of encryption adds to the screen of a meeting. */
export function useEncryptionParts(
  meeting: LiveMeeting,
  { panels }: Screen,
  hasLinkSecret: boolean,
): EncryptionParts {
  const [comparing] = useState(() => new Comparing(meeting.group, meeting.identity, meeting.phase));
  const room = useObservable(meeting.room);
  const state = useObservable(meeting.encryption);
  const group = useObservable(meeting.group);
  const phase = useObservable(meeting.phase);
  const compared = useObservable(comparing.state);
  const epoch = group?.epoch;
  const comparison: Comparison | null = epoch
    ? {
        code: epoch.code,
        extent: compared.extent,
        lines: deviceLines(epoch.members, meeting.identity, compared),
        onCompared: () => comparing.compared(epoch.code),
        onVerify: (member, isVerified) => comparing.verify(member, isVerified),
      }
    : null;
  return {
    section: room ? (
      <EncryptionSection
        kind={room.encryption}
        state={state}
        hasLinkSecret={hasLinkSecret}
        comparison={comparison}
      />
    ) : null,
    sign: room ? (
      <EncryptionSign kind={room.encryption} state={state} onMore={() => panels.choose("info")} />
    ) : null,
    banners: (
      <>
        <GroupBanner group={group} state={state} isConnected={phase.kind === "connected"} />
        {compared.added.length > 0 ? (
          <NewDeviceBanner
            onCompare={panels.open === "info" ? null : () => panels.choose("info")}
            onDismiss={() => comparing.dismiss()}
          />
        ) : null}
      </>
    ),
  };
}
