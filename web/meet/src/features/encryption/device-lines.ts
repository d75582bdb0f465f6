import { type Compared, fingerprintKey, type GroupMember } from "@conclave/client";

/** One device in the list of those that have the keys. */
export interface DeviceLine {
  readonly key: string;
  readonly member: GroupMember;
  readonly isMe: boolean;
  readonly isVerified: boolean;
  /** Whether it joined after the person compared the code. */
  readonly isNew: boolean;
}

/** The devices in the group: one's own first, then new ones, then the others. */
export function deviceLines(
  members: readonly GroupMember[],
  me: string,
  { added, verified }: Compared,
): readonly DeviceLine[] {
  const fresh = new Set(added.map(fingerprintKey));
  const lines = members.map((member): DeviceLine => {
    const key = fingerprintKey(member);
    const isMe = member.identity === me;
    return { key, member, isMe, isVerified: verified.has(key), isNew: fresh.has(key) };
  });
  const rank = ({ isMe, isNew }: DeviceLine) => (isMe ? 0 : isNew ? 1 : 2);
  return lines.sort((a, b) => rank(a) - rank(b));
}

/** A group of digits as it is read aloud: one by one, and not as a number. */
export function spelled(digits: string): string {
  return [...digits].join(" ");
}
