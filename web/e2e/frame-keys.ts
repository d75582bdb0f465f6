import { createDecipheriv, hkdfSync } from "node:crypto";
import type { ForwardedFrame, Wiretap } from "./wiretap";

/** The frames that a device can open with the media keys it was given. */
export function openedWith(
  mediaKeys: readonly Buffer[],
  frames: readonly ForwardedFrame[],
): readonly ForwardedFrame[] {
  const keys = mediaKeys.map(
    (bytes) =>
      new Uint8Array(hkdfSync("sha256", bytes, "LKFrameEncryptionKey", Buffer.alloc(128), 32)),
  );
  return frames.filter((frame) => keys.some((key) => opens(key, frame)));
}

/** The frames sent in this time that the media server passed on from one device to another. */
export function passedOn(from: Wiretap, to: Wiretap, after: number, before: number) {
  return to.frames.filter(({ iv }) => {
    const at = from.sentAt.get(iv);
    return at !== undefined && at >= after && at < before;
  });
}

function opens(key: Uint8Array, { iv, clear, sealed }: ForwardedFrame): boolean {
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(iv, "base64"));
  decipher.setAAD(clear).setAuthTag(sealed.subarray(-16));
  decipher.update(sealed.subarray(0, -16));
  try {
    decipher.final();
    return true;
  } catch {
    return false;
  }
}
