import type { BreakoutPlan } from "@conclave/client";

/** The actions of the breakout features. The rooms show whether an action succeeded. */
export interface BreakoutActions {
  /** Resolves to whether the service has opened the rooms. */
  readonly open: (plan: BreakoutPlan) => Promise<boolean>;
  readonly join: (breakoutId: string) => void;
  readonly returnToMain: () => void;
  readonly move: (person: string, breakoutId: string | null) => void;
  readonly addRoom: () => void;
  readonly renameRoom: (breakoutId: string, name: string) => void;
  readonly closeRoom: (breakoutId: string) => void;
  /** Resolves to whether it was sent. */
  readonly announce: (message: string) => Promise<boolean>;
  readonly end: (warn: boolean) => void;
}
