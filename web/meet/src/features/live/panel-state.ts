export type PanelName = "info" | "people" | "chat" | "polls" | "breakouts" | "hosting";

/** Something new in a panel, until the person chooses a panel or dismisses it. */
export interface PanelNews {
  readonly panel: PanelName;
  /** What is new there, for instance a poll's id. */
  readonly id: string;
}

export interface PanelState {
  readonly open: PanelName | null;
  readonly news: PanelNews | null;
}

export const allClosed: PanelState = { open: null, news: null };

/** The person opens a panel, or closes the open one. */
export function choosePanel(open: PanelName | null): PanelState {
  return { open, news: null };
}

/**
 * There is news in a panel. The panel opens by itself if no other one is open, except on a phone,
 * where it would cover the whole screen.
 */
export function tellNews(state: PanelState, news: PanelNews, isNarrow: boolean): PanelState {
  if (state.open === news.panel) return state;
  const opensItself = state.open === null && !isNarrow;
  return { open: opensItself ? news.panel : state.open, news };
}
