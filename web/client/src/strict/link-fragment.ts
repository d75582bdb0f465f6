/**
 * The secret part of a link to a strict room: 128 bits behind the `#`, as `k=` in base64url. A
 * browser sends nothing of what is behind the `#`, so the service never learns it.
 */
import { fromBase64Url, toBase64Url } from "../recording/base64url.js";

const secretLength = 16;
/** 16 bytes in base64url. The last character carries only two bits. */
const written = /^[A-Za-z0-9_-]{21}[AQgw]$/;

/** A new link secret, as links carry it. */
export function newLinkSecret(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(secretLength)));
}

/** The link secret that a link carries; null if it is damaged. */
export function readLinkSecret(text: string): Uint8Array<ArrayBuffer> | null {
  return written.test(text) ? fromBase64Url(text) : null;
}

/** The link with this link secret in its fragment, in place of any other link secret. */
export function withLinkSecret(link: string, secret: string): string {
  const [address = "", fragment = ""] = link.split("#", 2);
  const fields = fragment.split("&").filter((field) => field !== "" && !field.startsWith("k="));
  return `${address}#${[...fields, `k=${secret}`].join("&")}`;
}
