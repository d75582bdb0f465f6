import type { VideoView } from "@conclave/client";
import { useEffect, useRef, useState } from "react";

/** A picture without a new frame for this long counts as stopped, in milliseconds. */
const frozenAfter = 4000;

export type VideoState = "waiting" | "playing" | "frozen";

export interface VideoSurfaceProps {
  readonly view: VideoView;
  readonly isMirrored: boolean;
  readonly fit: "cover" | "contain";
  readonly onState: (state: VideoState) => void;
}

/**
 * A video element that reports whether its picture moves. It watches the frames that the element
 * shows, so it reports what the person sees and not what the network delivers.
 */
export function VideoSurface({ view, isMirrored, fit, onState }: VideoSurfaceProps) {
  const element = useRef<HTMLVideoElement>(null);
  const [isShown, setShown] = useState(false);
  const { attach } = view;

  useEffect(() => {
    const video = element.current;
    if (!video) return;
    let state: VideoState = "waiting";
    const report = (next: VideoState) => {
      if (next === state) return;
      state = next;
      setShown(next !== "waiting");
      onState(next);
    };
    onState("waiting");
    const detach = attach(video);
    const stop = watchFrames(video, report);
    return () => {
      stop();
      detach();
      setShown(false);
    };
  }, [attach, onState]);

  return (
    <video
      ref={element}
      className={`surface surface-${fit}${isMirrored ? " surface-mirrored" : ""}`}
      data-shown={isShown}
      autoPlay
      muted
      playsInline
    />
  );
}

function watchFrames(video: HTMLVideoElement, report: (state: VideoState) => void): () => void {
  if (typeof video.requestVideoFrameCallback !== "function") return watchPlayback(video, report);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let request = 0;
  let seen = false;
  const frozen = () => {
    // A page in the background draws no frames, so their absence means nothing.
    if (seen && document.visibilityState === "visible") report("frozen");
  };
  const frame = () => {
    seen = true;
    report("playing");
    clearTimeout(timer);
    timer = setTimeout(frozen, frozenAfter);
    request = video.requestVideoFrameCallback(frame);
  };
  request = video.requestVideoFrameCallback(frame);
  return () => {
    clearTimeout(timer);
    video.cancelVideoFrameCallback(request);
  };
}

/** For browsers that do not report frames: says when it plays, but not whether it froze. */
function watchPlayback(video: HTMLVideoElement, report: (state: VideoState) => void): () => void {
  const playing = () => report("playing");
  video.addEventListener("playing", playing);
  return () => video.removeEventListener("playing", playing);
}
