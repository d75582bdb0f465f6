/** How many tiles are side by side, and how large each is, so that they fill the area. */
export interface TileGrid {
  readonly columns: number;
  readonly rows: number;
  readonly width: number;
  readonly height: number;
}

export interface Area {
  readonly width: number;
  readonly height: number;
}

/** Space between two tiles, the same as --space-2 of the design tokens. */
export const tileGap = 8;
const wide = 16 / 9;
/**
 * The tallest shape of a tile, for upright phones: with 16:9, half of the area would stay empty.
 */
const tall = 3 / 4;
const largestPage = 25;

/** A tile narrower than this shows a stamp, not a face. */
function narrowestTile(area: Area): number {
  return area.width < 600 ? 140 : 200;
}

/** The arrangement with the largest tiles for this many people on this area. */
export function tileGrid(count: number, area: Area, gap = tileGap): TileGrid {
  let best: TileGrid = { columns: 1, rows: Math.max(count, 1), width: 0, height: 0 };
  for (let columns = 1; columns <= Math.max(count, 1); columns += 1) {
    const rows = Math.ceil(Math.max(count, 1) / columns);
    const candidate = fitTiles(columns, rows, area, gap);
    if (candidate.width * candidate.height > best.width * best.height) best = candidate;
  }
  return best;
}

function fitTiles(columns: number, rows: number, area: Area, gap: number): TileGrid {
  const cellWidth = Math.max(0, (area.width - gap * (columns - 1)) / columns);
  const cellHeight = Math.max(0, (area.height - gap * (rows - 1)) / rows);
  const narrowest = area.width < area.height ? tall : wide;
  const aspect = cellHeight === 0 ? wide : cellWidth / cellHeight;
  const kept = Math.min(wide, Math.max(narrowest, aspect));
  const width = Math.floor(Math.min(cellWidth, cellHeight * kept));
  const height = Math.floor(Math.min(cellHeight, width / kept));
  return { columns, rows, width, height };
}

/** How many tiles fit on one page while faces stay recognisable. */
export function pageSize(area: Area, gap = tileGap): number {
  const narrowest = narrowestTile(area);
  let fits = 1;
  for (let count = 2; count <= largestPage; count += 1) {
    if (tileGrid(count, area, gap).width >= narrowest) fits = count;
  }
  return fits;
}
