import { type Area, tileGap, tileGrid } from "@conclave/client";

/** The position of a tile, in pixels from the top left corner of the area. */
export interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Whether it is on top of another tile. */
  readonly isAbove?: boolean;
  /** How much of its lower right corner another tile covers, from the right. */
  readonly covered?: number;
}

export type Placement = ReadonlyMap<string, Place>;

const aspect = 16 / 9;

/** All tiles have the same size; a last row that is not full is centred. */
export function placeGrid(ids: readonly string[], area: Area): Placement {
  const grid = tileGrid(ids.length, area);
  const usedHeight = grid.rows * grid.height + (grid.rows - 1) * tileGap;
  const top = (area.height - usedHeight) / 2;
  const places = new Map<string, Place>();
  ids.forEach((id, index) => {
    const row = Math.floor(index / grid.columns);
    const inRow = Math.min(grid.columns, ids.length - row * grid.columns);
    const usedWidth = inRow * grid.width + (inRow - 1) * tileGap;
    const column = index - row * grid.columns;
    places.set(id, {
      left: (area.width - usedWidth) / 2 + column * (grid.width + tileGap),
      top: top + row * (grid.height + tileGap),
      width: grid.width,
      height: grid.height,
    });
  });
  return places;
}

/** Two people: the other one is large, oneself small in a corner. */
export function placePair(other: string, self: string, area: Area): Placement {
  const large = largest(area, area.width < area.height);
  const isSmall = area.width < 600;
  // On a phone that lies on its side, a third of the other one would be half of them.
  const width = Math.round(Math.min(isSmall ? 112 : 240, area.width / 3, large.width * 0.3));
  const height = Math.round(isSmall ? (width * 4) / 3 : width / aspect);
  const inset = 12;
  return new Map([
    [other, { ...large, covered: width + inset }],
    [
      self,
      {
        left: large.left + large.width - width - inset,
        top: large.top + large.height - height - inset,
        width,
        height,
        isAbove: true,
      },
    ],
  ]);
}

/** How many small tiles fit beside or below a large one. */
export function stripSize(area: Area): number {
  const strip = stripOf(area);
  const along = strip.isSide ? area.height : area.width;
  const each = strip.isSide ? strip.height : strip.width;
  return Math.max(1, Math.floor((along + tileGap) / (each + tileGap)));
}

/** Large tiles and a strip of small ones: at the side of a wide area, below on a tall one. */
export function placeFocus(
  focus: readonly string[],
  strip: readonly string[],
  area: Area,
): Placement {
  if (strip.length === 0) return placeGrid(focus, area);
  const { isSide, width, height } = stripOf(area);
  const rest: Area = isSide
    ? { width: area.width - width - tileGap, height: area.height }
    : { width: area.width, height: area.height - height - tileGap };
  const places = new Map<string, Place>(placeGrid(focus, rest));
  const each = (isSide ? height : width) + tileGap;
  const used = strip.length * each - tileGap;
  const start = ((isSide ? area.height : area.width) - used) / 2;
  strip.forEach((id, index) => {
    const along = start + index * each;
    places.set(id, {
      left: isSide ? area.width - width : along,
      top: isSide ? along : area.height - height,
      width,
      height,
    });
  });
  return places;
}

function stripOf(area: Area): { isSide: boolean; width: number; height: number } {
  const isSide = area.width > area.height * 1.1;
  const width = isSide ? Math.round(Math.min(232, area.width * 0.22)) : narrowStrip(area);
  return { isSide, width, height: Math.round(width / aspect) };
}

/** Three fit side by side on the narrowest phone. */
function narrowStrip(area: Area): number {
  return Math.max(0, Math.min(132, Math.floor((area.width - 2 * tileGap) / 3)));
}

/** The largest tile that fits, centred; on a phone it may fill the space instead. */
function largest(area: Area, mayFill: boolean): Place {
  const width = mayFill ? area.width : Math.floor(Math.min(area.width, area.height * aspect));
  const height = mayFill ? area.height : Math.floor(width / aspect);
  return {
    left: (area.width - width) / 2,
    top: (area.height - height) / 2,
    width,
    height,
  };
}
