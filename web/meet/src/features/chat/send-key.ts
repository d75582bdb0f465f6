import { ownKey, type Pressed } from "@conclave/ui/own-key";

/** Whether a key sends the message: Enter, which in an input method chooses a word instead. */
export function isSendKey(pressed: Pressed & Pick<KeyboardEvent, "shiftKey">): boolean {
  return ownKey(pressed) === "Enter" && !pressed.shiftKey;
}
