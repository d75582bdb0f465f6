const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|Chromium|HeadlessChrome|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\b(iPhone|iPod)\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "Mac"],
  [/\bLinux\b/, "Linux"],
];

/** A device's name in the list of an account's devices, such as `Chrome on Linux`. */
export function deviceName(userAgent: string): string {
  const find = (names: typeof browsers, other: string) =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? other;
  const [browser, system] = [find(browsers, "Browser"), find(systems, "")];
  return system === "" ? browser : `${browser} on ${system}`;
}
