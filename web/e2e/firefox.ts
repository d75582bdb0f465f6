import { type Browser, firefox } from "playwright-core";

/** Debian's Firefox with a camera and a microphone of its own, which it allows without asking. */
export function openFirefox(): Promise<Browser> {
  return firefox.launch({
    // Not the Firefox that Playwright builds: this one is driven as every browser can be (WebDriver BiDi).
    channel: "moz-firefox",
    executablePath: "/usr/bin/firefox-esr",
    firefoxUserPrefs: {
      "media.navigator.streams.fake": true,
      "media.navigator.permission.disabled": true,
      "media.autoplay.default": 0,
    },
  });
}
