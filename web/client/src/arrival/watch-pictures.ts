import type { TakeNote } from "./steps.js";

/** Notes when the camera is open. */
export function watchCamera(devices: MediaDevices | undefined, note: TakeNote): void {
  if (!devices) return;
  const open = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async (wanted) => {
    const stream = await open(wanted);
    if (stream.getVideoTracks().length > 0) note("camera ready");
    return stream;
  };
}

/** Notes the first picture that each video element draws of somebody else. */
export function watchDrawing(
  page: Window & typeof globalThis,
  note: TakeNote,
  isOfOthers: (track: MediaStreamTrack) => boolean,
): void {
  const { prototype } = page.HTMLMediaElement;
  const before = Object.getOwnPropertyDescriptor(prototype, "srcObject");
  if (!before?.set) return;
  const { set } = before;
  Object.defineProperty(prototype, "srcObject", {
    ...before,
    set(this: HTMLMediaElement, source: MediaProvider | null) {
      set.call(this, source);
      if (!(this instanceof HTMLVideoElement) || !(source instanceof MediaStream)) return;
      this.requestVideoFrameCallback((time, picture) => {
        if (source.getVideoTracks().some(isOfOthers)) note("drawn", describe(time, picture));
      });
    },
  });
}

/** What a picture went through: how long ago it was received, and how long it took to decode. */
function describe(time: number, picture: VideoFrameCallbackMetadata): string {
  const { width, height, receiveTime, processingDuration } = picture;
  const waited =
    receiveTime === undefined ? "" : `, received ${(time - receiveTime).toFixed(0)} ms ago`;
  const took = ((processingDuration ?? 0) * 1000).toFixed(0);
  return `${width}x${height}${waited}, ${took} ms decoding`;
}
