import type { Page, Request } from "playwright-core";

/** Opens a page, again if Chromium broke off what it loaded because another test made a network. */
export async function goTo(page: Page, url: string): Promise<void> {
  const isCut = (reason = "") => /ERR_NETWORK_CHANGED|chrome-error:/.test(reason);
  for (let attempts = 5; ; attempts -= 1) {
    let isWhole = true;
    const failed = (request: Request) => {
      if (isCut(request.failure()?.errorText)) isWhole = false;
    };
    page.on("requestfailed", failed);
    try {
      await page.goto(url);
    } catch (error) {
      if (attempts === 1 || !isCut(String(error))) throw error;
      isWhole = false;
    } finally {
      page.off("requestfailed", failed);
    }
    if (isWhole || attempts === 1) return;
  }
}
