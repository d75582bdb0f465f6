import { ServiceError } from "@conclave/client/pre-join";

/** The error code of a request that failed; `other` if the error is not from the service. */
export function codeOf(error: unknown): string {
  return error instanceof ServiceError ? error.code : "other";
}
