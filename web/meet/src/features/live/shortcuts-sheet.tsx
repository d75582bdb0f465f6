import { Sheet } from "@conclave/ui/sheet";
import { useTranslation } from "react-i18next";
import type { LiveMeeting } from "./live-meeting";
import "./shortcuts-sheet.css";
import { useRights } from "./use-controls";

/** The shortcuts, each with the right without which it does nothing. */
const shortcuts = [
  { keys: ["Ctrl", "D"], does: "microphone", needs: "microphone" },
  { keys: ["Ctrl", "E"], does: "camera", needs: "camera" },
  { keys: ["space"], does: "talk", needs: "microphone" },
  { keys: ["Ctrl", "Alt", "H"], does: "hand", needs: null },
  { keys: ["Ctrl", "Alt", "C"], does: "chat", needs: null },
  { keys: ["Ctrl", "Alt", "P"], does: "people", needs: null },
  { keys: ["F2"], does: "toolbar", needs: null },
  { keys: ["?"], does: "help", needs: null },
] as const;

export interface ShortcutsSheetProps {
  readonly meeting: LiveMeeting;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Lists the shortcuts that do something for this person. */
export function ShortcutsSheet({ meeting, isOpen, onClose }: ShortcutsSheetProps) {
  const { t } = useTranslation();
  const may = useRights(meeting);
  const usable = shortcuts.filter(({ needs }) => needs === null || may[needs]);
  return (
    <Sheet
      title={t("controls.shortcuts")}
      closeLabel={t("close")}
      isOpen={isOpen}
      onClose={onClose}
    >
      <dl className="shortcuts">
        {usable.map(({ keys, does }) => (
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
