import { IconButton } from "@conclave/ui/icon-button";
import { X } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import "./panel.css";

export interface PanelProps {
  /** The same word as on the button that opened it. */
  readonly title: string;
  readonly onClose: () => void;
  /** False when it opened by itself: whoever is at something else stays there. */
  readonly takesFocus?: boolean;
  readonly children: ReactNode;
}

/** One panel at the side. It takes the focus when it is opened, and Escape closes it. */
export function Panel({ title, onClose, takesFocus = true, children }: PanelProps) {
  const { t } = useTranslation();
  const element = useRef<HTMLElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what counts is how it opened.
  useEffect(() => {
    const before = document.activeElement;
    const panel = element.current;
    const first = panel?.querySelector<HTMLElement>("[data-autofocus], textarea");
    if (takesFocus) (first ?? panel)?.focus();
    return () => {
      // Only whoever was inside is sent back; somebody who clicked elsewhere stays there.
      const isInside =
        panel?.contains(document.activeElement) || document.activeElement === document.body;
      if (isInside && before instanceof HTMLElement) before.focus();
    };
  }, []);

  return (
    <aside
      ref={element}
      className="panel"
      aria-label={title}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      <header className="panel-head">
        <h2 className="panel-title">{title}</h2>
        <IconButton label={t("panels.close")} icon={<X size={20} />} onPress={onClose} />
      </header>
      {children}
    </aside>
  );
}
