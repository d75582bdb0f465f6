import type { ServiceEndReason } from "./wire.js";

/**
 * Why a meeting is over for this person. `ended`, `removed`, `deleted` and `left` come from the
 * service. `elsewhere`: the same seat was taken in another window. `refused`: the person may no
 * longer enter, since something changed after the seat was taken; look the room up again. `lost`:
 * the seat was gone when the connection came back. `unsupported`: this browser cannot encrypt.
 * `worker_failed`: the worker that encrypts, or the one that makes the keys of a strict meeting, could
 * not be loaded. `downgraded`: the meeting was strict, or its link has a secret, and the service says
 * it is not.
 */
export type EndReason =
  | "ended"
  | "removed"
  | "deleted"
  | "left"
  | "elsewhere"
  | "refused"
  | "lost"
  | "unsupported"
  | "worker_failed"
  | "downgraded";

export type Phase =
  | { readonly kind: "connecting" }
  | { readonly kind: "connected" }
  | { readonly kind: "reconnecting" }
  | { readonly kind: "ended"; readonly reason: EndReason };

/**
 * `denied` and `expired` end the waiting for a host. If one of them ends a meeting, the seat is
 * gone.
 */
export function endOf(reason: ServiceEndReason): EndReason {
  return reason === "denied" || reason === "expired" ? "lost" : reason;
}
