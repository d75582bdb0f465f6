import { Value } from "@conclave/client/pre-join";
import { useObservable } from "@conclave/ui/use-observable";
import { type ReactNode, useState } from "react";
import { ChatPanel } from "../features/chat/chat-panel";
import { useUnread } from "../features/chat/use-unread";
import type { LiveMeeting } from "../features/live/live-meeting";
import type { Screen } from "../features/live/use-screen";

interface ChatParts {
  readonly panel: ReactNode;
  /** How many messages the person has not read. */
  readonly unread: number;
}

/** What the feature of chat adds to the screen of a meeting. */
export function useChatParts(meeting: LiveMeeting, { panels }: Screen): ChatParts {
  const room = useObservable(meeting.room);
  const messages = useObservable(meeting.chat);
  const place = useObservable(meeting.breakouts.whereabouts);
  // Outlives the panel.
  const [draft] = useState(() => new Value(""));
  const unread = useUnread(messages, panels.open === "chat");
  return {
    panel: (
      <ChatPanel
        messages={messages}
        place={place}
        isOn={room?.settings.chat ?? false}
        draft={draft}
        onSend={(text) => meeting.sendChat(text)}
      />
    ),
    unread,
  };
}
