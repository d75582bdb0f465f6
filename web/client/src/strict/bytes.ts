import { fromBase64Url } from "../recording/base64url.js";

/** The bytes that a base64url text encodes; null when the text is not base64url. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return fromBase64Url(text);
  } catch {
    return null;
  }
}
