/** Runs in the page: a camera whose pictures are 16:9 and have so many rows. */
export function limitCamera(rows: number): void {
  const { mediaDevices } = navigator;
  if (!mediaDevices) return; // the empty page that Firefox begins with
  const ask = mediaDevices.getUserMedia.bind(mediaDevices);
  const size = { width: Math.round((rows * 16) / 9), height: rows };
  mediaDevices.getUserMedia = (wanted) =>
    typeof wanted?.video === "object"
      ? ask({ ...wanted, video: { ...wanted.video, ...size } })
      : ask(wanted);
}

/** Runs in the page: a microphone whose sound the browser does not process. */
export function leaveSoundRaw(): void {
  const { mediaDevices } = navigator;
  if (!mediaDevices) return; // the empty page that Firefox begins with
  const ask = mediaDevices.getUserMedia.bind(mediaDevices);
  const raw = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };
  mediaDevices.getUserMedia = (wanted) =>
    typeof wanted?.audio === "object"
      ? ask({ ...wanted, audio: { ...wanted.audio, ...raw } })
      : ask(wanted);
}
