import type { Person, Reaction } from "@conclave/client";
import { IconButton } from "@conclave/ui/icon-button";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Tile } from "./tile";
import { type Layout, planTiles } from "./tile-plan";
import { useSize } from "./use-size";
import { useSpeakers } from "./use-speakers";
import "./tiles.css";

export interface TilesProps {
  readonly people: readonly Person[];
  readonly reactions: readonly Reaction[];
  readonly layout: Layout;
  readonly pinned: string | null;
  readonly onPin: (id: string | null) => void;
  readonly onStopSharing: () => void;
  /** Shown over the tiles while it has nobody else to show. */
  readonly empty: ReactNode;
}

const now = () => performance.now();
/** How many are shown at most. More would cover the tiles. */
const unseenLimit = 5;

/** The tiles. All are in one element and only move, so that no picture starts again. */
export function Tiles(props: TilesProps) {
  const { people, reactions, layout, pinned, onPin, onStopSharing, empty } = props;
  const { t } = useTranslation();
  const [size, observe] = useSize();
  const [page, setPage] = useState(0);
  const { order, focus } = useSpeakers(people, size, now);
  const plan = planTiles({ people, order, layout, pinned, focus, page, area: size });
  const shown = new Set(plan.items.map((item) => item.id));
  return (
    <main className="tiles" tabIndex={-1} aria-label={t("tiles.tiles")}>
      <div className="tiles-area" ref={observe}>
        {plan.items.map((item) => {
          const place = plan.placement.get(item.id);
          return place && size.width > 0 ? (
            <Tile
              key={item.id}
              id={item.id}
              person={item.person}
              kind={item.kind}
              {...place}
              isPinned={item.id === pinned}
              onPin={onPin}
              onStopSharing={onStopSharing}
              reaction={item.kind === "camera" ? reactionOf(reactions, item.id) : null}
            />
          ) : null;
        })}
        <UnseenReactions reactions={reactions.filter(({ from }) => !shown.has(from))} />
        {plan.hidden ? (
          <p className="tiles-hidden" style={{ ...plan.hidden.place }}>
            {t("tiles.more", { count: plan.hidden.count })}
          </p>
        ) : null}
      </div>
      {empty}
      {plan.pages > 1 ? <Pager page={plan.page} pages={plan.pages} onPage={setPage} /> : null}
    </main>
  );
}

/** The reactions of people without a tile, on another page or in an audience. */
function UnseenReactions({ reactions }: { readonly reactions: readonly Reaction[] }) {
  const { t } = useTranslation();
  if (reactions.length === 0) return null;
  return (
    <ul className="tiles-reactions">
      {reactions.slice(-unseenLimit).map(({ id, name, emoji }) => (
        <li key={id} className="tiles-reaction">
          <span
            role="img"
            aria-label={t("tiles.reacted", { name: name ?? t("tiles.someone"), emoji })}
          >
            {emoji}
          </span>
          <bdi className="tiles-reaction-name">{name ?? t("tiles.someone")}</bdi>
        </li>
      ))}
    </ul>
  );
}

function reactionOf(reactions: readonly Reaction[], identity: string): string | null {
  return reactions.findLast((reaction) => reaction.from === identity)?.emoji ?? null;
}

interface PagerProps {
  readonly page: number;
  readonly pages: number;
  readonly onPage: (page: number) => void;
}

function Pager({ page, pages, onPage }: PagerProps) {
  const { t } = useTranslation();
  return (
    <div className="pager">
      <IconButton
        label={t("tiles.previous")}
        icon={<ChevronLeft size={20} />}
        isDisabled={page === 0}
        onPress={() => onPage(page - 1)}
      />
      <span>{t("tiles.page", { page: page + 1, pages })}</span>
      <IconButton
        label={t("tiles.next")}
        icon={<ChevronRight size={20} />}
        isDisabled={page === pages - 1}
        onPress={() => onPage(page + 1)}
      />
    </div>
  );
}
