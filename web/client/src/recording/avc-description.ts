/** Where the parameter sets begin in a description of H.264 (ISO/IEC 14496-15, 5.3.3.1). */
const setsAt = 5;
/** The bits before the size of lengths, and before the number of sequence sets, are ones. */
const reserved = [0xfc, 0xe0] as const;

/**
 * The description of H.264 for a file, from the one that an encoder gave. Firefox repeats the first
 * byte of each parameter set (bug 2031056), and players that go by the description, such as Windows
 * Media Player, refuse the file. What is not broken in this way stays unchanged.
 */
export function repairedDescription(given: Uint8Array): Uint8Array {
  const sequence = setsFrom(given, setsAt, 0x1f);
  const picture = sequence && setsFrom(given, sequence.end, 0xff);
  if (!sequence || !picture || !sequence.sets.every(isDoubled)) return given;
  const [sizes, count] = reserved;
  return Uint8Array.from([
    ...given.subarray(0, setsAt - 1),
    (given[setsAt - 1] ?? 0) | sizes,
    sequence.sets.length | count,
    ...sequence.sets.flatMap(single),
    picture.sets.length,
    ...picture.sets.flatMap((set) => (isDoubled(set) ? single(set) : whole(set))),
    ...given.subarray(picture.end),
  ]);
}

interface Sets {
  readonly sets: readonly Uint8Array[];
  readonly end: number;
}

/** The parameter sets behind their number; null where the description is not one. */
function setsFrom(given: Uint8Array, start: number, mask: number): Sets | null {
  const sets: Uint8Array[] = [];
  let at = start + 1;
  for (let left = (given[start] ?? 0) & mask; left > 0; left -= 1) {
    const length = ((given[at] ?? 0) << 8) | (given[at + 1] ?? 0);
    const end = at + 2 + length;
    if (length === 0 || end > given.length) return null;
    sets.push(given.subarray(at + 2, end));
    at = end;
  }
  return sets.length > 0 ? { sets, end: at } : null;
}

/** No profile has the number that the first byte of a sequence set would be. */
function isDoubled(set: Uint8Array): boolean {
  return set.length > 1 && set[0] === set[1];
}

function whole(set: Uint8Array): readonly number[] {
  return [set.length >> 8, set.length & 0xff, ...set];
}

function single(set: Uint8Array): readonly number[] {
  return whole(set.subarray(1));
}
