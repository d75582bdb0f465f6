import type { ServiceEndReason } from "./wire.js";

/**
 * Why a meeting is over for this person. `ended`, `removed`, `deleted` and `left` are the
 * service's words; `elsewhere`: the same seat was taken in another window; `refused`: the door was
 * closed after the seat was taken and before the device was in, so that it has to be asked again;
 * `lost`: the seat was gone when the connection came back; `unsupported`: this browser cannot
 * encrypt.
 */
export type EndReason =
  | "ended"
  | "removed"
  | "deleted"
  | "left"
  | "elsewhere"
  | "refused"
  | "lost"
  | "unsupported";

export type Phase =
  | { readonly kind: "connecting" }
  | { readonly kind: "connected" }
  | { readonly kind: "reconnecting" }
  | { readonly kind: "ended"; readonly reason: EndReason };

/** Waiting ends before a meeting begins; a seat that is said to have waited is one that is gone. */
export function endOf(reason: ServiceEndReason): EndReason {
  return reason === "denied" || reason === "expired" ? "lost" : reason;
}
