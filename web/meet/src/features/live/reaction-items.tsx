import { type ReactionEmoji, reactionEmoji } from "@conclave/client";
import { MenuItem } from "react-aria-components";

export interface ReactionItemsProps {
  readonly onReact: (emoji: ReactionEmoji) => void;
}

/** The six reactions as items of a menu. */
export function ReactionItems({ onReact }: ReactionItemsProps) {
  return reactionEmoji.map((emoji) => (
    <MenuItem
      key={emoji}
      id={emoji}
      className="menu-item"
      textValue={emoji}
      onAction={() => onReact(emoji)}
    >
      {emoji}
    </MenuItem>
  ));
}
