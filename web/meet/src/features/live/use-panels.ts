import { isOwnHost } from "@conclave/client";
import { useObservable } from "@conclave/ui/use-observable";
import { useState } from "react";
import type { LiveMeeting } from "./live-meeting";
import {
  allClosed,
  choosePanel,
  type PanelName,
  type PanelNews,
  type PanelState,
  tellNews,
} from "./panel-state";

export interface Panels extends PanelState {
  /** The panels this person has buttons for. */
  readonly offered: ReadonlySet<PanelName>;
  readonly choose: (panel: PanelName | null) => void;
  readonly toggle: (panel: PanelName) => void;
  readonly tellNews: (news: PanelNews) => void;
  readonly dismissNews: () => void;
}

/** Which panel is open, and which one has news. */
export function usePanels(meeting: LiveMeeting, isNarrow: boolean): Panels {
  const offered = useOffered(meeting);
  const [state, setState] = useState(allClosed);
  // A panel closes when it is no longer offered.
  const open = state.open !== null && offered.has(state.open) ? state.open : null;
  const current = { open, news: state.news };
  const choose = (panel: PanelName | null) => setState(choosePanel(panel));
  return {
    ...current,
    offered,
    choose,
    toggle: (panel) => choose(open === panel ? null : panel),
    tellNews: (news) => setState(tellNews(current, news, isNarrow)),
    dismissNews: () => setState({ ...current, news: null }),
  };
}

function useOffered(meeting: LiveMeeting): ReadonlySet<PanelName> {
  const you = useObservable(meeting.you);
  const session = useObservable(meeting.breakouts.session);
  const offered = new Set<PanelName>(["info", "people", "chat", "polls"]);
  if (session !== null || you?.role === "host") offered.add("breakouts");
  if (you !== null && isOwnHost(you)) offered.add("hosting");
  return offered;
}
