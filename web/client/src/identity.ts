/** The part of an identity before its last dot: the same on every device of one person. */
export function personOf(identity: string): string {
  const dot = identity.lastIndexOf(".");
  return dot < 0 ? identity : identity.slice(0, dot);
}
