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

function spellingsOf(secret: Buffer): readonly Buffer[] {
  const hex = secret.toString("hex");
  const base64 = [0, 1, 2].flatMap((before) => {
    const text = base64After(before, secret);
    return [text, text.replaceAll("+", "-").replaceAll("/", "_")];
  });
  return [secret, ...[hex, hex.toUpperCase(), ...base64].map((text) => Buffer.from(text))];
}

/**
 * What base64 makes of a secret that stands behind this many other bytes. Characters that depend on
 * the bytes around it are left out.
 */
function base64After(before: number, secret: Buffer): string {
  const text = Buffer.concat([Buffer.alloc(before), secret]).toString("base64");
  const bits = 8 * (before + secret.byteLength);
  return text.slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
}
