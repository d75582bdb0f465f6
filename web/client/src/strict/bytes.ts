import { fromBase64Url } from "../recording/base64url.js";

/** What base64url stands for; null when the text is none. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return fromBase64Url(text);
  } catch {
    return null;
  }
}
