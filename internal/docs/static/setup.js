// Draws the API reference. Everything it could send or fetch elsewhere is off; the page's policy
// (Content-Security-Policy) would not let it through either.
{
  const place = document.getElementById("reference");
  Scalar.createApiReference(place, {
    sources: JSON.parse(place.dataset.sources),
    telemetry: false,
    withDefaultFonts: false,
    theme: "none",
    hideDarkModeToggle: true,
    hideClientButton: true,
    showDeveloperTools: "never",
    persistAuth: false,
    authentication: { preferredSecurityScheme: "bearer" },
    agent: { disabled: true },
    mcp: { disabled: true },
  });

  // Assistive technology needs a name for every button, and one that begins as the button reads; the
  // keyboard has to reach every list that scrolls when it is long. The reference draws its parts when
  // they come into sight.
  const correct = () => {
    for (const button of place.querySelectorAll("button.scalar-code-copy:not([aria-label])")) {
      button.setAttribute("aria-label", "Copy");
    }
    for (const button of place.querySelectorAll("button.show-more[aria-label]")) {
      const label = button.getAttribute("aria-label");
      const shown = button.textContent.trim();
      if (!label.startsWith(shown)) button.setAttribute("aria-label", `${shown}: ${label}`);
    }
    for (const list of place.querySelectorAll("ul.endpoints:not([tabindex])")) {
      list.tabIndex = 0;
    }
  };
  new MutationObserver(correct).observe(place, { childList: true, subtree: true });
  correct();
}
