import type { VideoView } from "@conclave/client";
import { useLayoutEffect, useRef, useState } from "react";

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
 * A picture that reports whether it moves. It watches the frames that the element shows, so it
 * reports what the person sees and not what the network delivers.
 */
export function VideoSurface({ view, isMirrored, fit, onState }: VideoSurfaceProps) {
  const surface = useRef<HTMLDivElement>(null);
  const element = useRef<HTMLVideoElement>(null);
  const [isShown, setShown] = useState(false);
  const { attach, takeElement } = view;

  useLayoutEffect(() => {
    const video = isInSmallWindow(element.current)
      ? element.current
      : (takeElement() ?? element.current ?? newElement());
    let state: VideoState = "waiting";
    const report = (next: VideoState) => {
      if (next === state) return;
      state = next;
      setShown(next !== "waiting");
      onState(next);
    };
    onState("waiting");
    // Moving an element to where it is would close the small window.
    if (video.parentElement !== surface.current) surface.current?.replaceChildren(video);
    element.current = video;
    const detach = attach(video);
    const stop = watchFrames(video, report);
    return () => {
      stop();
      detach();
      setShown(false);
    };
  }, [attach, takeElement, onState]);

  return (
    <div
      ref={surface}
      className={`surface surface-${fit}${isMirrored ? " surface-mirrored" : ""}`}
      data-shown={isShown}
    />
  );
}

/** Whether a browser shows it over other windows (picture in picture), where it has to stay. */
function isInSmallWindow(video: HTMLVideoElement | null): video is HTMLVideoElement {
  return video !== null && video === document.pictureInPictureElement;
}

function newElement(): HTMLVideoElement {
  const video = document.createElement("video");
  video.autoplay = true;
  video.muted = true;
  video.playsInline = true;
  return video;
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
  // A frame that came before the element was on the page calls nobody back.
  if (video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) frame();
  else request = video.requestVideoFrameCallback(frame);
  return () => {
    clearTimeout(timer);
    video.cancelVideoFrameCallback(request);
  };
}

/** For browsers that do not report frames: says when it plays, but not whether it froze. */
function watchPlayback(video: HTMLVideoElement, report: (state: VideoState) => void): () => void {
  const playing = () => report("playing");
  video.addEventListener("playing", playing);
  // An element that plays already does not begin again.
  if (!video.paused && video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) playing();
  return () => video.removeEventListener("playing", playing);
}
