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
      this.requestVideoFrameCallback(() => {
        if (source.getVideoTracks().some(isOfOthers)) note("drawn");
      });
    },
  });
}
