import type { EndReason, Meeting } from "@conclave/client";
import type { LocalMedia, LookUp, WaitingRoom } from "@conclave/client/pre-join";
import type { Visitor } from "./last-visitor";
import type { Refusal } from "./refusal";

/** What a room's page shows, from opening the link to the end of the meeting. */
export type Scene =
  | { readonly kind: "looking" }
  | { readonly kind: "refused"; readonly reason: string; readonly message: string | null }
  | {
      readonly kind: "pre-join";
      readonly lookUp: LookUp;
      readonly media: LocalMedia;
      /** Why the last try to enter was refused. */
      readonly refusal: Refusal | null;
      readonly joining: boolean;
    }
  | {
      readonly kind: "waiting";
      readonly waitingRoom: WaitingRoom;
      readonly attempt: Attempt;
      /** Whether the waiting has ended after an hour, unless the person asks again. */
      readonly hasExpired: boolean;
    }
  | { readonly kind: "in"; readonly meeting: Meeting }
  | {
      readonly kind: "out";
      readonly reason: EndReason;
      readonly name: string;
      /** The redirect_url, where the person goes from here; null if they stay. */
      readonly next: string | null;
    };

/** A person's try to enter, with everything it needs. */
export interface Attempt {
  readonly lookUp: LookUp;
  readonly media: LocalMedia;
  readonly visitor: Visitor;
  /** Whether it follows a try that was refused after it had been admitted. */
  readonly isSecond: boolean;
}
