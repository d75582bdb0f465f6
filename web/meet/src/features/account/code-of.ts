import { ServiceError } from "@conclave/client/door";

/** The code of a refusal, for what did not work for whichever reason. */
export function codeOf(error: unknown): string {
  return error instanceof ServiceError ? error.code : "other";
}
