/** What a recording shows at one time: a pure function of the people in it. */
import { type Area, tileGap, tileGrid } from "../tile-layout.js";

/** A person in a recording. */
export interface Actor {
  readonly identity: string;
  readonly name: string;
  readonly avatar: string | null;
  readonly hasCamera: boolean;
  readonly hasScreen: boolean;
  readonly isMuted: boolean;
  readonly isSpeaking: boolean;
}

export type PictureKind = "camera" | "screen";

/** A rectangle of the picture, and what it shows. */
export interface SceneTile {
  /** The picture in it (see pictureId); null shows the avatar or the initials. */
  readonly picture: string | null;
  readonly identity: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** A screen is shown whole; a camera picture may be cropped. */
  readonly fit: "contain" | "cover";
  readonly label: string;
  readonly avatar: string | null;
  readonly isMuted: boolean;
  readonly isSpeaking: boolean;
}

export interface Scene {
  readonly tiles: readonly SceneTile[];
  /** How many people have no place in the picture. */
  readonly unseen: number;
}

/** How many people fit into a grid, and into the column beside a screen. */
const gridSeats = 16;
const columnSeats = 4;
const columnWidth = 0.2;
const wide = 16 / 9;

export function pictureId(identity: string, kind: PictureKind): string {
  return `${kind} ${identity}`;
}

/**
 * Lays out a recording's picture. A shared screen is large, with speakers beside it; otherwise
 * everybody is in a grid. `order` is the order in which people take the places, and `sharing` is
 * the person whose screen was large before, so that a second screen does not replace it.
 */
export function layOut(order: readonly Actor[], sharing: string | null, area: Area): Scene {
  const presenter = presenterOf(order, sharing);
  if (!presenter) return gridOf(order, area);
  const side = Math.floor(area.width * columnWidth);
  const screen: SceneTile = {
    ...faceOf(presenter),
    picture: pictureId(presenter.identity, "screen"),
    fit: "contain",
    isSpeaking: false,
    x: 0,
    y: 0,
    width: area.width - side - tileGap,
    height: area.height,
  };
  const column = columnOf(order, area, side);
  return { tiles: [screen, ...column.tiles], unseen: column.unseen };
}

/** The person whose screen is shown: the same as before for as long as they share it. */
export function presenterOf(order: readonly Actor[], sharing: string | null): Actor | null {
  const sharers = order.filter((actor) => actor.hasScreen);
  return sharers.find((actor) => actor.identity === sharing) ?? sharers[0] ?? null;
}

function columnOf(order: readonly Actor[], area: Area, side: number): Scene {
  const seated = order.slice(0, columnSeats);
  const height = Math.floor(side / wide);
  const used = seated.length * (height + tileGap) - tileGap;
  const top = Math.max(0, Math.floor((area.height - used) / 2));
  const tiles = seated.map((actor, row) => ({
    ...faceOf(actor),
    x: area.width - side,
    y: top + row * (height + tileGap),
    width: side,
    height,
  }));
  return { tiles, unseen: order.length - seated.length };
}

function gridOf(order: readonly Actor[], area: Area): Scene {
  const seated = order.slice(0, gridSeats);
  const { columns, rows, width, height } = tileGrid(seated.length, area);
  const top = Math.floor((area.height - rows * (height + tileGap) + tileGap) / 2);
  const tiles = seated.map((actor, place) => {
    const row = Math.floor(place / columns);
    // The last row may have fewer people, and is centred.
    const inRow = Math.min(columns, seated.length - row * columns);
    const left = Math.floor((area.width - inRow * (width + tileGap) + tileGap) / 2);
    return {
      ...faceOf(actor),
      x: left + (place % columns) * (width + tileGap),
      y: top + row * (height + tileGap),
      width,
      height,
    };
  });
  return { tiles, unseen: order.length - seated.length };
}

function faceOf(actor: Actor): Omit<SceneTile, "x" | "y" | "width" | "height"> {
  return {
    picture: actor.hasCamera ? pictureId(actor.identity, "camera") : null,
    identity: actor.identity,
    fit: "cover",
    label: actor.name,
    avatar: actor.avatar,
    isMuted: actor.isMuted,
    isSpeaking: actor.isSpeaking,
  };
}
