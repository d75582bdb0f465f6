import type { Locator, Page } from "playwright-core";

/** Whether all of it is on the screen, and nothing that scrolls hides a part. */
export function isWhollyShown(part: Locator): Promise<boolean> {
  return part.evaluate(
    (element) =>
      new Promise<boolean>((resolve) => {
        const observer = new IntersectionObserver(([entry]) => {
          observer.disconnect();
          resolve((entry?.intersectionRatio ?? 0) > 0.99);
        });
        observer.observe(element);
      }),
  );
}

/** Where its text begins, in pixels from the left edge of the page. */
export function textStart(part: Locator): Promise<number> {
  return part.evaluate((element) => {
    const text = document.createRange();
    text.selectNodeContents(element);
    return text.getBoundingClientRect().left;
  });
}

/** How far its middle is from the upper edge of the screen, in pixels. */
export function middle(part: Locator): Promise<number> {
  return part.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return (top + bottom) / 2;
  });
}

/** Whether it has the focus of the keyboard. */
export function hasFocus(part: Locator): Promise<boolean> {
  return part.evaluate((element) => element === document.activeElement);
}

/** Whether it has the colour of what destroys something. */
export function looksDangerous(control: Locator): Promise<boolean> {
  return hasColor(control, "color", "--danger-ink");
}

/** Whether it is filled with the colour of what destroys something. */
export function isFilledDangerously(control: Locator): Promise<boolean> {
  return hasColor(control, "background-color", "--danger");
}

/** Whether it is written and filled in the colours of what went wrong. */
export async function looksLikeProblem(text: Locator): Promise<boolean> {
  const isFilled = await hasColor(text, "background-color", "--danger-quiet");
  return isFilled && (await looksDangerous(text));
}

/** Whether a colour of it is the one with that name. A name can mean another colour elsewhere. */
function hasColor(control: Locator, property: string, token: string): Promise<boolean> {
  return control.evaluate(
    (element, [property, token]) => {
      const probe = document.createElement("span");
      probe.style.color = `var(${token})`;
      element.append(probe);
      const { color } = getComputedStyle(probe);
      probe.remove();
      return getComputedStyle(element).getPropertyValue(property) === color;
    },
    [property, token] as const,
  );
}

/** Whether the second stands to the right of the first, on the same line. */
export async function areSideBySide(first: Locator, second: Locator): Promise<boolean> {
  const [left, right] = await Promise.all([first.boundingBox(), second.boundingBox()]);
  if (!left || !right) return false;
  const middle = left.y + left.height / 2;
  const isOnLine = middle > right.y && middle < right.y + right.height;
  return isOnLine && left.x + left.width <= right.x;
}

/** Whether it is in something that holds more than it shows, and so can be scrolled down. */
export function isInLongPart(part: Locator): Promise<boolean> {
  return part.evaluate((element) => {
    for (let around = element.parentElement; around; around = around.parentElement) {
      const scrolls = getComputedStyle(around).overflowY === "auto";
      if (scrolls && around.scrollHeight > around.clientHeight) return true;
    }
    return false;
  });
}

/** How a radio button is drawn, and how far its label is from it. */
export function radioLook(radio: Locator): Promise<object> {
  return radio.evaluate((element) => {
    const { appearance, width, height, border, borderRadius, backgroundColor } =
      getComputedStyle(element);
    const label = element instanceof HTMLInputElement ? element.labels?.[0] : undefined;
    const text = document.createRange();
    if (label) text.selectNodeContents(label);
    const toLabel = text.getBoundingClientRect().left - element.getBoundingClientRect().right;
    return { appearance, width, height, border, borderRadius, backgroundColor, toLabel };
  });
}

/**
 * Lists what moves on a page: elements and named durations. It also tests an element that brings
 * its own durations.
 */
export function motions(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const takesTime = (durations: string) =>
      durations.split(",").some((duration) => Number.parseFloat(duration) > 0);
    const root = getComputedStyle(document.documentElement);
    const tokens = ["--quick", "--slow"].filter((name) => takesTime(root.getPropertyValue(name)));
    const moves = (element: Element, part: string) => {
      const style = getComputedStyle(element, part);
      const isAnimated = style.animationName !== "none" && takesTime(style.animationDuration);
      return isAnimated || takesTime(style.transitionDuration);
    };
    const probe = document.createElement("i");
    probe.style.animation = probe.style.transition = "1s";
    probe.style.animationName = "any";
    document.body.append(probe);
    const parts = ["", "::before", "::after"];
    const elements = [...document.querySelectorAll("*")]
      .filter((element) => parts.some((part) => moves(element, part)))
      .map((element) => `${element.localName} ${element.getAttribute("class")}`);
    probe.remove();
    return [...tokens, ...elements];
  });
}

/**
 * The contrast between the placeholder of a field and the field's ground, as WCAG defines it. Fails
 * unless both are opaque colours that the browser writes as `rgb(18, 22, 29)`.
 */
export function contrastOfPlaceholder(field: Locator): Promise<number> {
  return field.evaluate((element) => {
    const luminance = (color: string) => {
      const opaque = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(color);
      if (!opaque) throw new Error(`This is no opaque colour in RGB: ${color}`);
      const [r, g, b] = opaque.slice(1).map((part) => {
        const share = Number(part) / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0);
    };
    const placeholder = getComputedStyle(element, "::placeholder");
    if (placeholder.opacity !== "1") throw new Error("The placeholder is not opaque.");
    const [dark, light] = [
      luminance(placeholder.color),
      luminance(getComputedStyle(element).backgroundColor),
    ].toSorted((one, other) => one - other);
    return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
  });
}
