/** What is read of a key that was pressed. */
export type Pressed = Pick<KeyboardEvent, "key" | "isComposing" | "keyCode">;

/** The key code of whatever an input method takes (UI Events, "keyCode"). */
const takenByInputMethod = 229;

/**
 * The key that was pressed; null if an input method takes it, in which Enter chooses a word and
 * Escape drops one. Safari says that the composition is over before it tells of the key that ended
 * it, and then only the key code gives that away.
 */
export function ownKey({ key, isComposing, keyCode }: Pressed): string | null {
  return isComposing || keyCode === takenByInputMethod ? null : key;
}
