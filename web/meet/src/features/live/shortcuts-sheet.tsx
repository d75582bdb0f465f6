import { Sheet } from "@conclave/ui/sheet";
import { useTranslation } from "react-i18next";
import "./shortcuts-sheet.css";

const shortcuts = [
  { keys: ["Ctrl", "D"], does: "microphone" },
  { keys: ["Ctrl", "E"], does: "camera" },
  { keys: ["space"], does: "talk" },
  { keys: ["Ctrl", "Alt", "H"], does: "hand" },
  { keys: ["Ctrl", "Alt", "C"], does: "chat" },
  { keys: ["Ctrl", "Alt", "P"], does: "people" },
  { keys: ["F2"], does: "toolbar" },
  { keys: ["?"], does: "help" },
] as const;

export interface ShortcutsSheetProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function ShortcutsSheet({ isOpen, onClose }: ShortcutsSheetProps) {
  const { t } = useTranslation();
  return (
    <Sheet
      title={t("controls.shortcuts")}
      closeLabel={t("close")}
      isOpen={isOpen}
      onClose={onClose}
    >
      <dl className="shortcuts">
        {shortcuts.map(({ keys, does }) => (
          <div key={does} className="shortcut">
            <dt>{t(`shortcuts.${does}`)}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key === "space" ? t("shortcuts.space") : key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Sheet>
  );
}
