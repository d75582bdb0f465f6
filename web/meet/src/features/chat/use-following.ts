import type { ChatMessage } from "@conclave/client";
import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** How far from its end a log still counts as being at it, in pixels. */
const nearEnd = 40;

export interface Following {
  readonly log: RefObject<HTMLDivElement | null>;
  /** Whether messages came below what the person reads. */
  readonly hasNews: boolean;
  readonly onScroll: () => void;
  readonly goToEnd: () => void;
}

/**
 * Keeps the end of the log in view as messages come, unless the person reads older ones. A message
 * of their own leads back to the end.
 */
export function useFollowing(messages: readonly ChatMessage[]): Following {
  const log = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const [hasNews, setNews] = useState(false);
  const newest = messages.at(-1);

  const goToEnd = () => {
    if (log.current) log.current.scrollTop = log.current.scrollHeight;
    isAtEnd.current = true;
    setNews(false);
  };
  // Before the picture is painted, and so before the browser tells of an earlier scroll.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new message is what scrolls.
  useLayoutEffect(() => {
    if (isAtEnd.current || newest?.mine) goToEnd();
    else setNews(true);
  }, [newest]);

  const onScroll = () => {
    if (!log.current) return;
    const { scrollHeight, scrollTop, clientHeight } = log.current;
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEnd;
    if (isAtEnd.current) setNews(false);
  };
  return { log, hasNews, onScroll, goToEnd };
}
