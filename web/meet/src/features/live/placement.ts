import { type Stage, tileGap, tileGrid } from "@conclave/client";

/** The position of a tile, in pixels from the top left corner of the stage. */
export interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Whether it is on top of another tile. */
  readonly isAbove?: boolean;
}

export type Placement = ReadonlyMap<string, Place>;

const aspect = 16 / 9;

/** All tiles have the same size; a last row that is not full is centred. */
export function placeGrid(ids: readonly string[], stage: Stage): Placement {
  const grid = tileGrid(ids.length, stage);
  const usedHeight = grid.rows * grid.height + (grid.rows - 1) * tileGap;
  const top = (stage.height - usedHeight) / 2;
  const places = new Map<string, Place>();
  ids.forEach((id, index) => {
    const row = Math.floor(index / grid.columns);
    const inRow = Math.min(grid.columns, ids.length - row * grid.columns);
    const usedWidth = inRow * grid.width + (inRow - 1) * tileGap;
    const column = index - row * grid.columns;
    places.set(id, {
      left: (stage.width - usedWidth) / 2 + column * (grid.width + tileGap),
      top: top + row * (grid.height + tileGap),
      width: grid.width,
      height: grid.height,
    });
  });
  return places;
}

/** Two people: the other one is large, oneself small in a corner. */
export function placePair(other: string, self: string, stage: Stage): Placement {
  const large = largest(stage, stage.width < stage.height);
  const isSmall = stage.width < 600;
  const width = Math.round(Math.min(isSmall ? 112 : 240, stage.width / 3));
  const height = Math.round(isSmall ? (width * 4) / 3 : width / aspect);
  const inset = 12;
  return new Map([
    [other, large],
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
export function stripSize(stage: Stage): number {
  const strip = stripOf(stage);
  const along = strip.isSide ? stage.height : stage.width;
  const each = strip.isSide ? strip.height : strip.width;
  return Math.max(1, Math.floor((along + tileGap) / (each + tileGap)));
}

/** Large tiles and a strip of small ones: at the side of a wide stage, below on a tall one. */
export function placeFocus(
  focus: readonly string[],
  strip: readonly string[],
  stage: Stage,
): Placement {
  if (strip.length === 0) return placeGrid(focus, stage);
  const { isSide, width, height } = stripOf(stage);
  const rest: Stage = isSide
    ? { width: stage.width - width - tileGap, height: stage.height }
    : { width: stage.width, height: stage.height - height - tileGap };
  const places = new Map<string, Place>(placeGrid(focus, rest));
  const each = (isSide ? height : width) + tileGap;
  const used = strip.length * each - tileGap;
  const start = ((isSide ? stage.height : stage.width) - used) / 2;
  strip.forEach((id, index) => {
    const along = start + index * each;
    places.set(id, {
      left: isSide ? stage.width - width : along,
      top: isSide ? along : stage.height - height,
      width,
      height,
    });
  });
  return places;
}

function stripOf(stage: Stage): { isSide: boolean; width: number; height: number } {
  const isSide = stage.width > stage.height * 1.1;
  const width = isSide ? Math.round(Math.min(232, stage.width * 0.22)) : narrowStrip(stage);
  return { isSide, width, height: Math.round(width / aspect) };
}

/** Three fit side by side on the narrowest phone. */
function narrowStrip(stage: Stage): number {
  return Math.max(0, Math.min(132, Math.floor((stage.width - 2 * tileGap) / 3)));
}

/** The largest tile that fits, centred; on a phone it may fill the space instead. */
function largest(stage: Stage, mayFill: boolean): Place {
  const width = mayFill ? stage.width : Math.floor(Math.min(stage.width, stage.height * aspect));
  const height = mayFill ? stage.height : Math.floor(width / aspect);
  return {
    left: (stage.width - width) / 2,
    top: (stage.height - height) / 2,
    width,
    height,
  };
}
