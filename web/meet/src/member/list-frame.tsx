import { Button } from "@conclave/ui/button";
import { keepFocus } from "@conclave/ui/keep-focus";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import type { PagedList } from "./use-list";
import "./member.css";

export interface ListFrameProps<T> {
  readonly title: string;
  readonly list: PagedList<T>;
  /** Shown while the list is empty. */
  readonly empty: { readonly title: string; readonly text: string };
  /** The label of the button for the next page, if it differs from the usual one. */
  readonly more?: string;
  readonly children: (item: T) => ReactNode;
}

/**
 * A list with its title: while it loads, fails, is empty or has items. It keeps the focus, because an
 * item that goes away takes its buttons along, and "Show more" goes away with the last page.
 */
export function ListFrame<T>({ title, list, empty, more, children }: ListFrameProps<T>) {
  const { t } = useTranslation();
  const id = useId();
  const { state } = list;
  return (
    <section
      ref={keepFocus}
      className="member-list"
      tabIndex={-1}
      aria-labelledby={id}
      aria-busy={state.kind === "loading"}
    >
      <h2 id={id} className="member-title">
        {title}
      </h2>
      {state.kind === "loading" ? (
        <p className="member-note" role="status">
          {t("home.loading")}
        </p>
      ) : null}
      {state.kind === "failed" ? <Failure code={state.code} onRetry={list.reload} /> : null}
      {state.kind === "ready" && state.items.length === 0 ? (
        <div className="member-empty">
          <p className="member-empty-title">{empty.title}</p>
          <p>{empty.text}</p>
        </div>
      ) : null}
      {state.kind === "ready" && state.items.length > 0 ? (
        <ul className="member-items" aria-labelledby={id}>
          {state.items.map(children)}
        </ul>
      ) : null}
      {state.kind === "ready" && state.failure !== null ? (
        <Failure code={state.failure} onRetry={list.showMore} />
      ) : null}
      {state.kind === "ready" && state.hasMore && state.failure === null ? (
        <Button
          onPress={list.showMore}
          {...(more === undefined ? { "aria-label": t("home.moreOf", { list: title }) } : {})}
        >
          {more ?? t("home.more")}
        </Button>
      ) : null}
    </section>
  );
}

function Failure({ code, onRetry }: { readonly code: string; readonly onRetry: () => void }) {
  const { t } = useTranslation();
  return (
    <div className="member-failure" role="alert">
      <ProblemText code={code} />
      <Button onPress={onRetry}>{t("home.again")}</Button>
    </div>
  );
}

/** Says why a request failed. */
export function ProblemText({ code }: { readonly code: string }) {
  const { t, i18n } = useTranslation();
  const key = `home.problem.${code}`;
  return <p>{i18n.exists(key) ? t(key) : t("home.problem.other")}</p>;
}
