/** What is read of a key that was pressed. */
type Pressed = Pick<KeyboardEvent, "key" | "shiftKey" | "isComposing" | "keyCode">;

/** The key code of whatever an input method takes (UI Events, "keyCode"). */
const takenByInputMethod = 229;

/**
 * Whether a key sends the message: Enter, which in an input method chooses a word instead. Safari
 * says that the composition is over before it tells of the Enter that ended it, and then only the
 * key code gives that away.
 */
export function isSendKey({ key, shiftKey, isComposing, keyCode }: Pressed): boolean {
  return key === "Enter" && !shiftKey && !isComposing && keyCode !== takenByInputMethod;
}
