import type { EncryptedFile } from "@conclave/client/playback/encrypted-file";
import { type PlayProblem, RecordingPlayer } from "@conclave/client/playback/player";
import { Button } from "@conclave/ui/button";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { playPhrase } from "./problem-phrase";

export interface VideoPlayerProps {
  readonly file: EncryptedFile;
  readonly title: string;
  readonly onAgain: () => void;
}

/** The browser's own player, which gets the recording as this device decrypts it. */
export function VideoPlayer({ file, title, onAgain }: VideoPlayerProps) {
  const { t } = useTranslation();
  const video = useRef<HTMLVideoElement>(null);
  const [problem, setProblem] = useState<PlayProblem | null>(null);

  useEffect(() => {
    if (!video.current) return;
    const player = new RecordingPlayer(video.current, file);
    const stop = player.problem.subscribe(() => setProblem(player.problem.get()));
    void player.start();
    return () => {
      stop();
      player.close();
    };
  }, [file]);

  const phrase = problem && playPhrase(problem);
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: recordings have no captions. */}
      <video
        ref={video}
        className="recordings-video"
        aria-label={title}
        controls
        autoPlay
        playsInline
      />
      {phrase ? (
        <div className="member-failure" role="alert">
          <p>{t(phrase.key, phrase.values)}</p>
          {problem.kind === "unreachable" ? (
            <Button onPress={onAgain}>{t("recordings.again")}</Button>
          ) : null}
        </div>
      ) : null}
    </>
  );
}
