import { type LookUp, ServiceError } from "@conclave/client/pre-join";

/** Why a person may not enter. */
export interface Refusal {
  readonly reason: string;
  readonly message: string | null;
}

export function refusalOf(lookUp: LookUp): Refusal {
  return { reason: lookUp.reason ?? "unknown", message: lookUp.message };
}

export function refusalFrom(error: unknown): Refusal {
  if (error instanceof ServiceError) return { reason: error.code, message: error.message };
  return { reason: "unknown", message: null };
}
