/** Whether the error code can only be fixed by signing in again or reloading. */
export function isOver(code: string): boolean {
  return code === "sign_in_required" || code === "not_a_member";
}
