import type { BreakoutPlan } from "@conclave/client";

/** What may be asked of breakout rooms. Whether it succeeded is seen in the rooms. */
export interface BreakoutActs {
  readonly open: (plan: BreakoutPlan) => void;
  readonly join: (breakoutId: string) => void;
  readonly returnToMain: () => void;
  readonly move: (person: string, breakoutId: string | null) => void;
  readonly addRoom: () => void;
  readonly renameRoom: (breakoutId: string, name: string) => void;
  readonly closeRoom: (breakoutId: string) => void;
  /** Resolves whether it was said. */
  readonly announce: (message: string) => Promise<boolean>;
  readonly end: (warn: boolean) => void;
}
