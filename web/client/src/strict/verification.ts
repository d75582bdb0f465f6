/**
 * What people compare to know that nobody listens in: a code for everybody present, made from the
 * group's epoch, and a fingerprint of each device, which stays the same for the call.
 */

export interface VerificationCode {
  /** Six groups of five digits. */
  readonly digits: readonly string[];
  /** Eight pictures, each with its name for people who cannot see it. */
  readonly emoji: readonly VerificationEmoji[];
}

export interface VerificationEmoji {
  readonly emoji: string;
  readonly name: string;
}

const encoder = new TextEncoder();
const groups = 6;
const bytesPerGroup = 5;
const emojiCount = 8;

/** The code of an epoch, from its epoch authenticator (RFC 9420, section 8.7). */
export async function verificationCode(authenticator: Uint8Array): Promise<VerificationCode> {
  const [forDigits, forEmoji] = await Promise.all([
    digest("conclave verification digits v1", authenticator),
    digest("conclave verification emoji v1", authenticator),
  ]);
  return { digits: digitsOf(forDigits), emoji: emojiOf(forEmoji) };
}

/** The fingerprint of a device, from its identity and signature key: six groups of five digits. */
export async function deviceFingerprint(
  identity: string,
  signatureKey: Uint8Array,
): Promise<readonly string[]> {
  const who = encoder.encode(identity);
  return digitsOf(
    await digest("conclave device fingerprint v1", new Uint8Array([...signatureKey, ...who])),
  );
}

/** A label never ends in a zero byte, so one of these inputs is never the beginning of another. */
async function digest(label: string, secret: Uint8Array): Promise<Uint8Array> {
  const input = new Uint8Array([...encoder.encode(label), 0, ...secret]);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", input));
}

/** Five bytes make five digits: the remainder of a number below 2^40, which is nearly uniform. */
function digitsOf(bytes: Uint8Array): readonly string[] {
  return Array.from({ length: groups }, (_, group) => {
    const part = bytes.subarray(group * bytesPerGroup, (group + 1) * bytesPerGroup);
    const value = part.reduce((sum, byte) => sum * 256 + byte, 0);
    return String(value % 100_000).padStart(5, "0");
  });
}

function emojiOf(bytes: Uint8Array): readonly VerificationEmoji[] {
  return Array.from({ length: emojiCount }, (_, index) => {
    const [emoji = "", name = ""] = pictures[(bytes[index] ?? 0) % pictures.length] ?? [];
    return { emoji, name };
  });
}

/** 64 pictures that people call by one name and do not take for another. Their order is fixed. */
const pictures: readonly (readonly [string, string])[] = [
  ["🐶", "dog"],
  ["🐱", "cat"],
  ["🦁", "lion"],
  ["🐴", "horse"],
  ["🦄", "unicorn"],
  ["🐷", "pig"],
  ["🐘", "elephant"],
  ["🐰", "rabbit"],
  ["🐼", "panda"],
  ["🐓", "rooster"],
  ["🐧", "penguin"],
  ["🐢", "turtle"],
  ["🐟", "fish"],
  ["🐙", "octopus"],
  ["🦋", "butterfly"],
  ["🌷", "flower"],
  ["🌳", "tree"],
  ["🌵", "cactus"],
  ["🍄", "mushroom"],
  ["🌍", "globe"],
  ["🌙", "moon"],
  ["☁️", "cloud"],
  ["🔥", "fire"],
  ["🍌", "banana"],
  ["🍎", "apple"],
  ["🍓", "strawberry"],
  ["🌽", "corn"],
  ["🍕", "pizza"],
  ["🎂", "cake"],
  ["❤️", "heart"],
  ["😀", "smile"],
  ["🤖", "robot"],
  ["🎩", "hat"],
  ["👓", "glasses"],
  ["🔧", "wrench"],
  ["🎅", "santa"],
  ["👍", "thumbs up"],
  ["☂️", "umbrella"],
  ["⌛", "hourglass"],
  ["⏰", "clock"],
  ["🎁", "gift"],
  ["💡", "light bulb"],
  ["📕", "book"],
  ["✏️", "pencil"],
  ["📎", "paper clip"],
  ["✂️", "scissors"],
  ["🔒", "lock"],
  ["🔑", "key"],
  ["🔨", "hammer"],
  ["☎️", "telephone"],
  ["🏁", "flag"],
  ["🚂", "train"],
  ["🚲", "bicycle"],
  ["✈️", "airplane"],
  ["🚀", "rocket"],
  ["🏆", "trophy"],
  ["⚽", "ball"],
  ["🎸", "guitar"],
  ["🎺", "trumpet"],
  ["🔔", "bell"],
  ["⚓", "anchor"],
  ["🎧", "headphones"],
  ["📁", "folder"],
  ["📌", "pin"],
];
