// Draws the API reference. Everything it could send or fetch elsewhere is off; the page's policy
// (Content-Security-Policy) would not let it through either.
{
  const place = document.getElementById("reference");
  Scalar.createApiReference(place, {
    sources: JSON.parse(place.dataset.sources),
    telemetry: false,
    withDefaultFonts: false,
    hideClientButton: true,
    showDeveloperTools: "never",
    persistAuth: false,
    authentication: { preferredSecurityScheme: "bearer" },
    agent: { disabled: true },
    mcp: { disabled: true },
  });
}
