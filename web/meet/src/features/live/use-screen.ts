import { useState } from "react";
import type { LiveMeeting } from "./live-meeting";
import type { Layout } from "./tile-plan";
import { type Failure, useFailure } from "./use-failure";
import { crowded, narrow, tight, useMediaQuery } from "./use-media-query";
import { type Panels, usePanels } from "./use-panels";

/** How the person looks at the tiles. */
export interface View {
  readonly layout: Layout;
  /** The id of the tile that stays large. */
  readonly pinned: string | null;
  readonly setLayout: (layout: Layout) => void;
  readonly pin: (id: string | null) => void;
}

/** The state of the screen around the parts that features add to it. */
export interface Screen {
  readonly isNarrow: boolean;
  /** Whether the panels' buttons do not fit beside controls in the middle of the window. */
  readonly hasPanelsOnTop: boolean;
  readonly panels: Panels;
  readonly view: View;
  readonly failure: Failure;
}

/** How many panels a person who is not a host has buttons for. */
const usualPanels = 4;

export function useScreen(meeting: LiveMeeting): Screen {
  const isNarrow = useMediaQuery(narrow);
  const panels = usePanels(meeting, isNarrow);
  const view = useView();
  const failure = useFailure();
  const isTight = useMediaQuery(tight);
  const isCrowded = useMediaQuery(crowded) && panels.offered.size > usualPanels;
  return { isNarrow, hasPanelsOnTop: isTight || isCrowded, panels, view, failure };
}

function useView(): View {
  const [layout, setLayout] = useState<Layout>("grid");
  const [pinned, pin] = useState<string | null>(null);
  return {
    layout,
    pinned,
    setLayout: (next) => {
      setLayout(next);
      pin(null);
    },
    pin,
  };
}
