import { type ChatMessage, chatTextLimit, type Place, textLength } from "@conclave/client";
import type { Value } from "@conclave/client/pre-join";
import { Button } from "@conclave/ui/button";
import { IconButton } from "@conclave/ui/icon-button";
import { Named } from "@conclave/ui/named";
import { useObservable } from "@conclave/ui/use-observable";
import { readingLocale } from "@conclave/ui/when";
import { ArrowDown, SendHorizontal } from "lucide-react";
import { Fragment, type KeyboardEvent, memo, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { isSendKey } from "./send-key";
import { textParts } from "./text-parts";
import { useFollowing } from "./use-following";
import "./chat-panel.css";

export interface ChatPanelProps {
  readonly messages: readonly ChatMessage[];
  /** The person's room. Only the people in it receive their messages. */
  readonly place: Place;
  /** Whether the room allows chat. */
  readonly isOn: boolean;
  /** The message that the person is writing. */
  readonly draft: Value<string>;
  readonly onSend: (text: string) => Promise<void>;
}

export function ChatPanel({ messages, place, isOn, draft, onSend }: ChatPanelProps) {
  const { t } = useTranslation();
  const { log, hasNews, onScroll, goToEnd } = useFollowing(messages);
  const showNews = () => {
    goToEnd();
    // The button disappears, and the keyboard goes on in what it led to.
    log.current?.focus();
  };

  return (
    <div className="chat">
      <p className="chat-note">{isOn ? t("chat.explain") : t("chat.off")}</p>
      {/* The log can be scrolled, so the keyboard has to reach it. */}
      <div
        className="chat-log"
        role="log"
        aria-label={t("chat.log")}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
        tabIndex={0}
        ref={log}
        onScroll={onScroll}
      >
        {messages.length === 0 ? <p className="chat-empty">{t("chat.empty")}</p> : null}
        {messages.map((message, index) => (
          <Fragment key={`${message.from} ${message.id}`}>
            {isMove(messages[index - 1], message.place) ? <MoveMark place={message.place} /> : null}
            <Message message={message} isContinued={continues(message, messages[index - 1])} />
          </Fragment>
        ))}
        {isMove(messages.at(-1), place) ? <MoveMark place={place} /> : null}
      </div>
      {hasNews ? (
        <div className="chat-news">
          <Button icon={<ArrowDown size={16} />} onPress={showNews}>
            {t("chat.news")}
          </Button>
        </div>
      ) : null}
      {isOn ? <Composer draft={draft} onSend={onSend} /> : null}
    </div>
  );
}

/** Messages of one person in one room within a minute share one header. */
function continues(message: ChatMessage, before: ChatMessage | undefined): boolean {
  if (before?.place.breakoutId !== message.place.breakoutId) return false;
  return before.from === message.from && message.sentAt - before.sentAt < 60_000;
}

/** Whether the person changed rooms after a message; a meeting begins in the main room. */
function isMove(before: ChatMessage | undefined, { breakoutId }: Place): boolean {
  return (before?.place.breakoutId ?? null) !== breakoutId;
}

/** Marks a change of rooms between messages. */
function MoveMark({ place }: { readonly place: Place }) {
  const { t } = useTranslation();
  const unnamed = place.breakoutId === null ? t("breakout.mainRoom") : t("breakout.unnamed");
  return (
    <p className="chat-mark">
      <Named name={place.name ?? unnamed} words={(room) => t("chat.moved", { room })} />
    </p>
  );
}

interface MessageProps {
  readonly message: ChatMessage;
  readonly isContinued: boolean;
}

/** Memoised, so that a new message does not render a thousand others again. */
const Message = memo(function Message({ message, isContinued }: MessageProps) {
  const { t, i18n } = useTranslation();
  const sentAt = new Date(message.sentAt);
  const locale = readingLocale(i18n.language, navigator.languages);
  const time = sentAt.toLocaleTimeString(locale, { timeStyle: "short" });
  const name = message.mine ? t("chat.you") : (message.name ?? t("tiles.someone"));
  return (
    <article className={isContinued ? "message message-continued" : "message"}>
      <p className={isContinued ? "visually-hidden" : "message-head"}>
        <span className="message-name" dir="auto">
          {name}
        </span>
        <time dateTime={sentAt.toISOString()}>{time}</time>
      </p>
      <p className="message-text" dir="auto">
        {textParts(message.text).map((part) =>
          part.kind === "link" ? (
            // A direction of its own: text around an address does not change how it is read.
            <a key={part.at} dir="ltr" href={part.text} target="_blank" rel="noopener noreferrer">
              {part.text}
            </a>
          ) : (
            part.text
          ),
        )}
      </p>
    </article>
  );
});

/** A message that was begun before goes on at its end. */
function goToEnd(field: HTMLTextAreaElement | null): void {
  field?.setSelectionRange(field.value.length, field.value.length);
}

/** Sends what the person writes, and says why it cannot be sent, until they change it. */
function useSending({ draft, onSend }: Pick<ChatPanelProps, "draft" | "onSend">) {
  const { t } = useTranslation();
  const text = useObservable(draft);
  const [error, setError] = useState<string | null>(null);

  const write = (changed: string) => {
    setError(null);
    draft.set(changed);
  };
  const send = async () => {
    const trimmed = text.trim();
    if (trimmed === "") return;
    if (textLength(trimmed) > chatTextLimit) {
      setError(t("chat.tooLong", { limit: chatTextLimit }));
      return;
    }
    setError(null);
    draft.set("");
    try {
      await onSend(trimmed);
    } catch {
      // Puts back a text that was not sent, unless the person has begun a new one.
      draft.update((current) => (current === "" ? trimmed : current));
      setError(t("chat.failed"));
    }
  };
  return { text, error, write, send };
}

function Composer({ draft, onSend }: Pick<ChatPanelProps, "draft" | "onSend">) {
  const { t } = useTranslation();
  const id = useId();
  const { text, error, write, send } = useSending({ draft, onSend });

  const onKeyDown = (event: KeyboardEvent) => {
    if (!isSendKey(event.nativeEvent)) return;
    event.preventDefault();
    void send();
  };

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {error === null ? null : (
        <p className="composer-error" role="alert">
          {error}
        </p>
      )}
      <label htmlFor={id} className="visually-hidden">
        {t("chat.message")}
      </label>
      <textarea
        ref={goToEnd}
        id={id}
        className="composer-text"
        placeholder={t("chat.message")}
        dir="auto"
        rows={1}
        value={text}
        onChange={(event) => write(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <IconButton
        type="submit"
        label={t("chat.send")}
        icon={<SendHorizontal size={20} />}
        isDisabled={text.trim() === ""}
      />
    </form>
  );
}
