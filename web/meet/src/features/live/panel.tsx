import { IconButton } from "@conclave/ui/icon-button";
import { keepFocusIn } from "@conclave/ui/keep-focus";
import { ownKey } from "@conclave/ui/own-key";
import { X } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import "./panel.css";

export interface PanelProps {
  /** The same text as on the button that opens it. */
  readonly title: string;
  readonly onClose: () => void;
  /** False if the panel opened by itself, so that the person is not interrupted. */
  readonly takesFocus?: boolean;
  readonly children: ReactNode;
}

/**
 * One panel at the side. It takes the focus when it is opened, and when a control in it that had the
 * focus has done its work and is gone. Escape closes it.
 */
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
      // Moves the focus back only if it was inside, not if the person clicked elsewhere.
      const isInside =
        panel?.contains(document.activeElement) || document.activeElement === document.body;
      if (isInside && before instanceof HTMLElement) before.focus();
    };
  }, []);
  useEffect(() => (element.current ? keepFocusIn(element.current) : undefined), []);

  return (
    <aside
      ref={element}
      className="panel"
      aria-label={title}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (ownKey(event.nativeEvent) === "Escape") onClose();
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
