import { useObservable } from "@conclave/ui/use-observable";
import { useEffect, useMemo } from "react";
import { type ListState, type LoadPage, Pages } from "./pages";

export interface PagedList<T> {
  readonly state: ListState<T>;
  readonly reload: () => void;
  readonly showMore: () => void;
  /** Shows a changed item in place of the one with the same id, without a request. */
  readonly replace: (item: T) => void;
  readonly remove: (id: string) => void;
}

/**
 * A list that is loaded in pages. `load` gets the id of the last item so far; null: the first page.
 */
export function useList<T extends { readonly id: string }>(load: LoadPage<T>): PagedList<T> {
  const pages = useMemo(() => new Pages(load), [load]);
  useEffect(() => pages.reload(), [pages]);
  const state = useObservable(pages.state);
  const { reload, showMore, replace, remove } = pages;
  return { state, reload, showMore, replace, remove };
}
