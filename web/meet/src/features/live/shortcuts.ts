import { useEffect, useRef } from "react";

export interface ShortcutActions {
  readonly toggleMicrophone: () => void;
  readonly toggleCamera: () => void;
  readonly toggleHand: () => void;
  readonly toggleChat: () => void;
  readonly togglePeople: () => void;
  readonly goToToolbar: () => void;
  readonly showHelp: () => void;
  /** Push-to-talk: true while the key is held down. Does nothing if the microphone is on anyway. */
  readonly talk: (isHeld: boolean) => void;
}

export type Shortcut = Exclude<keyof ShortcutActions, "talk"> | "talk";

export interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/**
 * The shortcut of a key press. Letters go by the key's position, since Alt changes what it types.
 */
export function shortcutOf(
  press: KeyPress,
  isTyping: boolean,
  isOnControl: boolean,
): Shortcut | null {
  const command = press.ctrlKey || press.metaKey;
  if (command && !press.altKey && !press.shiftKey) {
    if (press.code === "KeyD") return "toggleMicrophone";
    if (press.code === "KeyE") return "toggleCamera";
    return null;
  }
  if (press.ctrlKey && press.altKey) {
    if (press.code === "KeyH") return "toggleHand";
    if (press.code === "KeyC") return "toggleChat";
    if (press.code === "KeyP") return "togglePeople";
    return null;
  }
  if (command || press.altKey) return null;
  if (press.key === "F2") return "goToToolbar";
  if (press.key === "?" && !isTyping) return "showHelp";
  if (press.code === "Space" && !isTyping && !isOnControl) return "talk";
  return null;
}

const typing = "input, textarea, select, [contenteditable='true']";
const control = `${typing}, button, a, [role='menuitem'], [role='menuitemradio'], [role='option']`;

export function useShortcuts(actions: ShortcutActions): void {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    let isTalking = false;
    const down = (event: KeyboardEvent) => {
      const target = event.target instanceof Element ? event.target : null;
      const isTyping = target?.closest(typing) != null;
      const shortcut = shortcutOf(event, isTyping, target?.closest(control) != null);
      if (shortcut === null) return;
      event.preventDefault();
      if (event.repeat) return;
      if (shortcut === "talk") {
        isTalking = true;
        latest.current.talk(true);
        return;
      }
      latest.current[shortcut]();
    };
    const stopTalking = () => {
      if (isTalking) latest.current.talk(false);
      isTalking = false;
    };
    const up = (event: KeyboardEvent) => {
      if (event.code === "Space") stopTalking();
    };
    window.addEventListener("keydown", down);
    window.addEventListener("keyup", up);
    // A key released in another window sends no event here, so stop talking to be safe.
    window.addEventListener("blur", stopTalking);
    return () => {
      window.removeEventListener("keydown", down);
      window.removeEventListener("keyup", up);
      window.removeEventListener("blur", stopTalking);
    };
  }, []);
}
