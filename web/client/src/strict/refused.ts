import { ServiceError } from "../service-error.js";

/** Whether the service refused a request with this code. */
export function isRefused(error: unknown, code: string): boolean {
  return error instanceof ServiceError && error.code === code;
}
