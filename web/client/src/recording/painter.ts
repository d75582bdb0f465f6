/** Draws a scene, the picture of a recording. */
import { initialsOf, lettersOf } from "../initials.js";
import type { NewestFrames } from "./newest-frames.js";
import type { Scene, SceneTile } from "./scene.js";

/** The colours of a call. They are in the design tokens too, but a worker cannot read those. */
const colours = {
  ground: "#0e1116",
  tile: "#1b2028",
  name: "#f2f4f7",
  chip: "rgb(14 17 22 / 72%)",
  speaking: "#2dd4bf",
  muted: "#f87171",
} as const;
const chipHeight = 28;
const chipPadding = 10;
const corner = 12;

export class Painter {
  readonly #context: OffscreenCanvasRenderingContext2D;
  readonly #frames: NewestFrames;
  readonly #avatars = new Map<string, ImageBitmap>();

  constructor(canvas: OffscreenCanvas, frames: NewestFrames) {
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("The browser gave no canvas to draw on.");
    this.#context = context;
    this.#frames = frames;
  }

  setAvatar(avatar: string, image: ImageBitmap): void {
    this.#avatars.get(avatar)?.close();
    this.#avatars.set(avatar, image);
  }

  draw(scene: Scene): void {
    const { canvas } = this.#context;
    this.#context.fillStyle = colours.ground;
    this.#context.fillRect(0, 0, canvas.width, canvas.height);
    for (const tile of scene.tiles) this.#tile(tile);
  }

  #tile(tile: SceneTile): void {
    const context = this.#context;
    const { x, y, width, height } = tile;
    context.save();
    context.beginPath();
    context.roundRect(x, y, width, height, corner);
    context.clip();
    context.fillStyle = colours.tile;
    context.fillRect(x, y, width, height);
    const frame = tile.picture === null ? null : this.#frames.get(tile.picture);
    if (frame) this.#frame(frame, tile);
    else this.#face(tile);
    this.#chip(tile);
    context.restore();
    if (tile.isSpeaking) this.#border(tile);
  }

  #frame(frame: VideoFrame | ImageBitmap, tile: SceneTile): void {
    const [width, height] =
      "displayWidth" in frame
        ? [frame.displayWidth, frame.displayHeight]
        : [frame.width, frame.height];
    const across = tile.width / width;
    const down = tile.height / height;
    const scale = tile.fit === "cover" ? Math.max(across, down) : Math.min(across, down);
    const left = tile.x + (tile.width - width * scale) / 2;
    const top = tile.y + (tile.height - height * scale) / 2;
    this.#context.drawImage(frame, left, top, width * scale, height * scale);
  }

  /** A person without a camera: their avatar, or their initials. */
  #face({ x, y, width, height, avatar, label }: SceneTile): void {
    const context = this.#context;
    const size = Math.min(width, height) * 0.45;
    const [middleX, middleY] = [x + width / 2, y + height / 2];
    const image = avatar === null ? undefined : this.#avatars.get(avatar);
    if (image) {
      context.drawImage(image, middleX - size / 2, middleY - size / 2, size, size);
      return;
    }
    context.fillStyle = colours.ground;
    context.beginPath();
    context.arc(middleX, middleY, size / 2, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = colours.name;
    context.font = `600 ${Math.round(size * 0.4)}px sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(initialsOf(label), middleX, middleY);
  }

  /** The name, with a sign before it if the microphone is off. */
  #chip({ x, y, width, height, label, isMuted }: SceneTile): void {
    const context = this.#context;
    context.font = "500 15px sans-serif";
    context.textAlign = "left";
    context.textBaseline = "middle";
    const sign = isMuted ? 18 : 0;
    const room = width - 16 - 2 * chipPadding - sign;
    const text = shortened(label, (part) => context.measureText(part).width <= room);
    const chip = context.measureText(text).width + 2 * chipPadding + sign;
    const [left, top] = [x + 8, y + height - chipHeight - 8];
    context.fillStyle = colours.chip;
    context.beginPath();
    context.roundRect(left, top, chip, chipHeight, chipHeight / 2);
    context.fill();
    if (isMuted) this.#mutedSign(left + chipPadding + 5, top + chipHeight / 2);
    context.fillStyle = colours.name;
    context.fillText(text, left + chipPadding + sign, top + chipHeight / 2 + 1);
  }

  /** A microphone, crossed out. */
  #mutedSign(x: number, y: number): void {
    const context = this.#context;
    context.strokeStyle = colours.muted;
    context.lineWidth = 2;
    context.beginPath();
    context.roundRect(x - 2.5, y - 6, 5, 8, 2.5);
    context.moveTo(x, y + 4);
    context.lineTo(x, y + 7);
    context.moveTo(x - 6, y - 6);
    context.lineTo(x + 6, y + 6);
    context.stroke();
  }

  #border({ x, y, width, height }: SceneTile): void {
    const context = this.#context;
    context.strokeStyle = colours.speaking;
    context.lineWidth = 3;
    context.beginPath();
    context.roundRect(x + 1.5, y + 1.5, width - 3, height - 3, corner - 1.5);
    context.stroke();
  }
}

/** The text, or as much of its beginning as fits, with an ellipsis. */
export function shortened(text: string, fits: (part: string) => boolean): string {
  if (fits(text)) return text;
  const letters = lettersOf(text);
  while (letters.length > 1 && !fits(`${letters.join("")}…`)) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}
