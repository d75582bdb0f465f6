/** Codes that only signing in again, or looking anew, can mend. */
export function isOver(code: string): boolean {
  return code === "sign_in_required" || code === "not_a_member";
}
