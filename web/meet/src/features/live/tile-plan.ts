import { type Area, type Person, pageSize, spotlit } from "@conclave/client";
import {
  type Place,
  type Placement,
  placeFocus,
  placeGrid,
  placePair,
  stripSize,
} from "./placement";

/** The content of a tile: a person, or a shared screen. */
interface Item {
  readonly id: string;
  readonly person: Person;
  readonly kind: "camera" | "screen";
}

export type Layout = "grid" | "speaker";

export interface TilePlan {
  readonly items: readonly Item[];
  readonly placement: Placement;
  readonly page: number;
  readonly pages: number;
  /** How many people have no tile beside the large one, and where to show that number. */
  readonly hidden: { readonly count: number; readonly place: Place } | null;
}

export interface TilePlanInput {
  readonly people: readonly Person[];
  /** Identities in the order of their tiles; see `arrange`. */
  readonly order: readonly string[];
  readonly layout: Layout;
  readonly pinned: string | null;
  /** The person who speaks, or spoke last. */
  readonly focus: string | null;
  readonly page: number;
  readonly area: Area;
}

export function screenId(identity: string): string {
  return `${identity} screen`;
}

/**
 * Decides which tiles are shown, and where. A pinned tile comes first, then the spotlight, then a
 * shared screen, then the chosen layout.
 */
export function planTiles(input: TilePlanInput): TilePlan {
  const items = itemsOf(input.people, input.order);
  const large = largeItems(items, input);
  if (large.length > 0) return focusPlan(large, items, input.area);
  const pair = pairOf(items);
  if (pair) {
    const placement = placePair(pair.other.id, pair.self.id, input.area);
    return { items, placement, page: 0, pages: 1, hidden: null };
  }
  return gridPlan(items, input);
}

function itemsOf(people: readonly Person[], order: readonly string[]): readonly Item[] {
  const byIdentity = new Map(people.map((person) => [person.identity, person]));
  const ordered = order.flatMap((identity) => byIdentity.get(identity) ?? []);
  const screens = ordered
    .filter((person) => person.screen !== null)
    .map((person): Item => ({ id: screenId(person.identity), person, kind: "screen" }));
  const cameras = ordered.map((person): Item => ({ id: person.identity, person, kind: "camera" }));
  return [...screens, ...cameras];
}

function largeItems(items: readonly Item[], input: TilePlanInput): readonly Item[] {
  const pinned = items.find((item) => item.id === input.pinned);
  if (pinned) return [pinned];
  const inSpotlight = spotlit(input.people).flatMap((person) => pictureOf(person, items) ?? []);
  if (inSpotlight.length > 0) return inSpotlight;
  const large = largeItem(items, input);
  return large ? [large] : [];
}

/** The screen that a person shows to the others, or else their camera. */
function pictureOf(person: Person, items: readonly Item[]): Item | undefined {
  return items.find((item) => item.person === person && (item.kind === "camera" || !person.isMe));
}

function largeItem(items: readonly Item[], input: TilePlanInput): Item | null {
  // The person sees their own screen anyway, so it is large only when it is pinned.
  const screen = items.find((item) => item.kind === "screen" && !item.person.isMe);
  if (screen) return screen;
  if (input.layout === "grid" || items.length < 3) return null;
  return items.find((item) => item.id === input.focus) ?? items.find((i) => !i.person.isMe) ?? null;
}

function pairOf(items: readonly Item[]): { other: Item; self: Item } | null {
  if (items.length !== 2) return null;
  const self = items.find((item) => item.person.isMe);
  const other = items.find((item) => !item.person.isMe);
  return self && other ? { self, other } : null;
}

/** The id of the place that shows how many people are not in the strip. */
const rest = "the rest";

function focusPlan(large: readonly Item[], items: readonly Item[], area: Area): TilePlan {
  const others = items.filter((item) => !large.includes(item));
  const room = stripSize(area);
  const isFull = others.length > room;
  const strip = isFull ? others.slice(0, room - 1) : others;
  const ids = strip.map((item) => item.id);
  const focus = large.map((item) => item.id);
  const placement = placeFocus(focus, isFull ? [...ids, rest] : ids, area);
  const place = placement.get(rest);
  const hidden = place ? { count: others.length - strip.length, place } : null;
  return { items: [...large, ...strip], placement, page: 0, pages: 1, hidden };
}

function gridPlan(items: readonly Item[], { area, page }: TilePlanInput): TilePlan {
  const size = pageSize(area);
  const pages = Math.max(1, Math.ceil(items.length / size));
  const current = Math.min(page, pages - 1);
  const shown = items.slice(current * size, (current + 1) * size);
  const placement = placeGrid(
    shown.map((item) => item.id),
    area,
  );
  return { items: shown, placement, page: current, pages, hidden: null };
}
