import { type RoomInfo, withLinkSecret } from "@conclave/client/pre-join";

/** The link with which people here invite others. */
export interface Invitation {
  readonly link: string;
  /** Whether the link has a secret part, which is never shown: somebody may share the screen. */
  readonly hasSecret: boolean;
}

/** In strict rooms the link carries on the link secret with which this device came. */
export function invitationTo(
  { url, encryption }: Pick<RoomInfo, "url" | "encryption">,
  linkSecret: string | null,
): Invitation {
  if (encryption !== "strict" || linkSecret === null) return { link: url, hasSecret: false };
  return { link: withLinkSecret(url, linkSecret), hasSecret: true };
}
