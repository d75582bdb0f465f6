import { Avatar } from "@conclave/ui/avatar";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";

/** The largest size at which a recording shows an avatar, in pixels. */
const size = 324;

/** Draws an avatar as a bitmap for a recording, whose worker cannot read the design tokens. */
export async function drawAvatar(avatar: string): Promise<ImageBitmap | null> {
  const place = document.createElement("div");
  place.className = "visually-hidden";
  place.setAttribute("aria-hidden", "true");
  document.body.append(place);
  const root = createRoot(place);
  try {
    flushSync(() => root.render(<Avatar name="" avatar={avatar} />));
    const drawing = place.querySelector("svg");
    return drawing ? await bitmapOf(drawing) : null;
  } finally {
    root.unmount();
    place.remove();
  }
}

async function bitmapOf(drawing: SVGElement): Promise<ImageBitmap> {
  const copy = drawing.cloneNode(true) as SVGElement;
  const shapes = drawing.querySelectorAll("*");
  // The copy is a separate image, so the page's tokens do not apply to it.
  for (const [i, shape] of copy.querySelectorAll<SVGElement>("*").entries()) {
    const original = shapes[i];
    if (!original) continue;
    const { fill, stroke } = getComputedStyle(original);
    shape.setAttribute("fill", fill);
    shape.setAttribute("stroke", stroke);
    shape.style.removeProperty("fill");
    shape.style.removeProperty("stroke");
  }
  copy.setAttribute("width", String(size));
  copy.setAttribute("height", String(size));
  const text = new XMLSerializer().serializeToString(copy);
  const image = new Image(size, size);
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  return createImageBitmap(image);
}
