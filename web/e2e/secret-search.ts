/** A file, a log or one direction of an exchange, by a name that a failed test shows. */
export interface Place {
  readonly name: string;
  readonly content: Buffer;
}

/** The names of the places that have a secret: as bytes, in hexadecimal or in base64. */
export function placesWith(secret: Buffer, places: readonly Place[]): readonly string[] {
  const spellings = spellingsOf(secret);
  return places
    .filter(({ content }) => spellings.some((one) => content.includes(one)))
    .map(({ name }) => name);
}

/** The names of the places that have one of many secrets. Reads each place once. */
export function placesWithAny(
  secrets: readonly Buffer[],
  places: readonly Place[],
): readonly string[] {
  const byStart = new Map<number, Buffer[]>();
  // Rules out most positions quickly, because few pairs of bytes begin a spelling.
  const pairs = new Uint8Array(1 << 16);
  for (const spelling of secrets.flatMap(spellingsOf)) {
    if (spelling.byteLength < 4) throw new Error("too short to be searched for");
    const start = spelling.readInt32BE(0);
    pairs[spelling.readUInt16BE(0)] = 1;
    byStart.set(start, [...(byStart.get(start) ?? []), spelling]);
  }
  return places.filter(({ content }) => hasAny(pairs, byStart, content)).map(({ name }) => name);
}

/** Whether the content has one of the spellings, which are grouped by their first bytes. */
function hasAny(
  pairs: Uint8Array,
  byStart: ReadonlyMap<number, readonly Buffer[]>,
  content: Buffer,
): boolean {
  for (let at = 0; at + 4 <= content.byteLength; at += 1) {
    const pair = ((content[at] as number) << 8) | (content[at + 1] as number);
    if (pairs[pair] === 0) continue;
    const begun = byStart.get(content.readInt32BE(at));
    if (begun?.some((one) => one.equals(content.subarray(at, at + one.byteLength)))) return true;
  }
  return false;
}

function spellingsOf(secret: Buffer): readonly Buffer[] {
  const hex = secret.toString("hex");
  const base64 = [0, 1, 2].flatMap((before) => {
    const text = base64After(before, secret);
    return [text, text.replaceAll("+", "-").replaceAll("/", "_")];
  });
  return [secret, ...[hex, hex.toUpperCase(), ...base64].map((text) => Buffer.from(text))];
}

/**
 * The base64 text of a secret that follows this many other bytes, without the characters that
 * depend on the bytes around the secret.
 */
function base64After(before: number, secret: Buffer): string {
  const text = Buffer.concat([Buffer.alloc(before), secret]).toString("base64");
  const bits = 8 * (before + secret.byteLength);
  return text.slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
}
