import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { IconButton } from "./icon-button";
import { ReturnFocus } from "./return-focus";
import "./sheet.css";

export interface SheetProps {
  readonly title: string;
  readonly closeLabel: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /**
   * Whether pressing beside it does not close it, so that typed text is not lost. Escape still
   * does.
   */
  readonly isForm?: boolean;
  readonly children: ReactNode;
}

/** A dialog in the middle of the page; on a phone it slides up from the bottom. */
export function Sheet({ title, closeLabel, isOpen, onClose, isForm, children }: SheetProps) {
  return (
    <ModalOverlay
      className="sheet-veil"
      isDismissable={!isForm}
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Modal className="sheet">
        <Dialog className="sheet-dialog">
          <ReturnFocus />
          <header className="sheet-head">
            <Heading slot="title" className="sheet-title">
              {title}
            </Heading>
            <IconButton label={closeLabel} icon={<X size={20} />} onPress={onClose} />
          </header>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
