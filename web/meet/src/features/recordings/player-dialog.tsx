import { Button } from "@conclave/ui/button";
import { IconButton } from "@conclave/ui/icon-button";
import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { useTranslation } from "react-i18next";
import "@conclave/ui/sheet.css";
import { LetIn } from "./let-in";
import { type Keys, type Opening, openRecording } from "./open-recording";
import { openingProblem } from "./problem-phrase";
import type { Recording } from "./recordings-service";
import { VideoPlayer } from "./video-player";

export interface PlayerDialogProps {
  readonly recording: Recording;
  readonly keys: Keys;
  readonly onClose: () => void;
}

/** Plays a recording in a dialog. */
export function PlayerDialog({ recording, keys, onClose }: PlayerDialogProps) {
  const { t } = useTranslation();
  const [attempt, setAttempt] = useState(0);
  const opening = useOpening(recording, keys, attempt);
  return (
    <ModalOverlay
      className="sheet-veil"
      isOpen
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Modal className="sheet recordings-player">
        <Dialog className="sheet-dialog">
          <header className="sheet-head">
            <Heading slot="title" className="sheet-title">
              <bdi>{recording.title}</bdi>
            </Heading>
            <IconButton
              label={t("recordings.close")}
              icon={<X size={20} />}
              onPress={onClose}
              autoFocus
            />
          </header>
          <Opened
            recording={recording}
            keys={keys}
            opening={opening}
            onAgain={() => setAttempt(attempt + 1)}
          />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

interface OpenedProps {
  readonly recording: Recording;
  readonly keys: Keys;
  readonly opening: Opening | null;
  readonly onAgain: () => void;
}

function Opened({ recording, keys, opening, onAgain }: OpenedProps) {
  const { t } = useTranslation();
  if (opening === null) {
    return (
      <p className="member-note" role="status">
        {t("recordings.opening")}
      </p>
    );
  }
  if (opening.kind === "open") {
    return (
      <>
        <VideoPlayer file={opening.file} title={recording.title} onAgain={onAgain} />
        {opening.ownKey ? (
          <LetIn recordingId={recording.id} recordingKey={opening.ownKey} member={keys.member} />
        ) : null}
      </>
    );
  }
  const { key, values } = openingProblem(opening);
  return (
    <div className="member-failure" role="alert">
      <p>{t(key, values)}</p>
      <Button onPress={onAgain}>{t("recordings.again")}</Button>
    </div>
  );
}

/** Opens the recording, again with every attempt; null until that is done. */
function useOpening(recording: Recording, keys: Keys, attempt: number): Opening | null {
  const [done, setDone] = useState<{ attempt: number; opening: Opening } | null>(null);
  // The list may load the same recording again while it plays; only another one is opened.
  const [opened] = useState(recording);
  useEffect(() => {
    let isCurrent = true;
    void openRecording(opened, keys).then((opening) => {
      if (isCurrent) setDone({ attempt, opening });
    });
    return () => {
      isCurrent = false;
    };
  }, [opened, keys, attempt]);
  return done?.attempt === attempt ? done.opening : null;
}
