/** Pauses before the second, third and fourth try to load a part of the page, in milliseconds. */
const pauses = [300, 1000, 3000];

const pause = (time: number) => new Promise<void>((resolve) => setTimeout(resolve, time));

/** Loads a part of the page. One lost file must not end a person's way into a meeting. */
export async function loadAgain<T>(load: () => Promise<T>, wait = pause): Promise<T> {
  for (const time of pauses) {
    try {
      return await load();
    } catch {
      await wait(time);
    }
  }
  return load();
}

/**
 * Loads each style sheet again that could not be loaded. Vite's loader does not: it asks for a
 * style sheet only the first time that a part of the page needs it.
 */
export function loadStylesAgain(document: Document, wait = pause): void {
  const tries = new Map<string, number>();
  const failed = async ({ target }: Event) => {
    if (!(target instanceof HTMLLinkElement) || target.rel !== "stylesheet") return;
    const count = tries.get(target.href) ?? 0;
    const time = pauses[count];
    if (time === undefined) return;
    tries.set(target.href, count + 1);
    await wait(time);
    target.replaceWith(target.cloneNode());
  };
  // Errors of elements do not bubble.
  document.addEventListener("error", (event) => void failed(event), true);
}
