import { isSpeaker, type Person } from "@conclave/client";

/**
 * What a room shows where the others would be: `first` if nobody else is in the meeting, `elsewhere`
 * if the others are in other rooms, `silent` if the audience of a webinar sees nobody on stage. Null
 * if there is somebody to see, or if the list of people has not come yet.
 */
export function emptinessOf(
  people: readonly Person[],
  hasAudience: boolean,
): "first" | "elsewhere" | "silent" | null {
  const here = people.filter((person) => person.isHere);
  const [one] = here;
  // Before the list comes, the media server alone shows the person, without a name.
  if (!one || (one.isMe && one.name === null)) return null;
  const isAlone = here.length === 1 && one.isMe;
  if (isAlone && people.length === 1) return "first";
  if (!hasAudience) return isAlone ? "elsewhere" : null;
  return here.some(isSpeaker) ? null : "silent";
}
