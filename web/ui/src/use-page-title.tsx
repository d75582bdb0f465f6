import { useEffect } from "react";

/** Names the page in the title of the tab, before the name of the product. */
export function usePageTitle(page: string, product: string): void {
  useEffect(() => {
    document.title = `${page} · ${product}`;
  }, [page, product]);
}
