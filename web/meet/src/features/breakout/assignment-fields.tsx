import type { Person } from "@conclave/client";
import { RadioField } from "@conclave/ui/radio-field";
import { SelectField } from "@conclave/ui/select-field";
import { SwitchField } from "@conclave/ui/switch-field";
import { useTranslation } from "react-i18next";
import {
  type Assignment,
  type Draft,
  dealable,
  dealtRooms,
  placeable,
  roomNames,
  unplaced,
} from "./plan";

export interface AssignmentFieldsProps {
  readonly draft: Draft;
  readonly people: readonly Person[];
  readonly onChange: (change: Partial<Draft>) => void;
}

/** How people are assigned to the rooms, with what each way needs to know. */
export function AssignmentFields({ draft, people, onChange }: AssignmentFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <RadioField
        label={t("breakout.assignment")}
        value={draft.assignment}
        options={[
          { value: "auto", label: t("breakout.auto"), hint: t("breakout.autoHint") },
          { value: "manual", label: t("breakout.manual"), hint: t("breakout.manualHint") },
          { value: "none", label: t("breakout.self"), hint: t("breakout.selfHint") },
        ]}
        onChange={(value) => onChange({ assignment: value as Assignment })}
      />
      {draft.assignment === "auto" ? (
        <>
          <Deal people={dealable(people, draft.includeHosts)} rooms={draft.count} />
          <SwitchField
            label={t("breakout.includeHosts")}
            hint={t("breakout.includeHostsHint")}
            isOn={draft.includeHosts}
            onChange={(includeHosts) => onChange({ includeHosts })}
          />
        </>
      ) : null}
      {draft.assignment === "manual" ? (
        <Placements draft={draft} people={people} onChange={onChange} />
      ) : null}
    </>
  );
}

interface DealProps {
  /** How many people are assigned at most. */
  readonly people: number;
  readonly rooms: number;
}

/** Says how large the rooms become if they open now. */
function Deal({ people, rooms }: DealProps) {
  const { t, i18n } = useTranslation();
  const sizes = dealtRooms(people, rooms).map((size) =>
    size.people === 0
      ? t("breakout.dealtNobody", { count: size.rooms })
      : t("breakout.dealt", {
          count: size.rooms,
          people: t("breakout.dealtPeople", { count: size.people }),
        }),
  );
  return (
    <p className="breakout-hint" role="status">
      {people === 0
        ? t("breakout.dealNobody")
        : t("breakout.deal", { rooms: new Intl.ListFormat(i18n.language).format(sizes) })}
    </p>
  );
}

/** Assigns people to rooms by hand. A person without a room stays in the main room. */
function Placements({ draft, people, onChange }: AssignmentFieldsProps) {
  const { t } = useTranslation();
  const names = roomNames(draft, (number) => t("breakout.numbered", { number }));
  const everyone = placeable(people);
  const place = (id: string, room: string) => {
    const placed = new Map(draft.placed);
    if (room === "") placed.delete(id);
    else placed.set(id, Number(room));
    onChange({ placed });
  };
  const left = unplaced(draft, everyone);
  return (
    <section className="breakout-placements" aria-label={t("breakout.placements")}>
      <p className="breakout-hint" role="status">
        {left === 0 ? t("breakout.noneLeft") : t("breakout.left", { count: left })}
      </p>
      {everyone.map(({ id, name }) => {
        const room = draft.placed.get(id);
        const isKnown = room !== undefined && room < draft.count;
        return (
          <div key={id} className="breakout-placement">
            <bdi className="breakout-placement-name" aria-hidden="true">
              {name}
            </bdi>
            <SelectField
              label={t("breakout.roomOf", { name })}
              value={isKnown ? String(room) : ""}
              options={[
                { value: "", label: t("breakout.mainRoom") },
                ...names.map((label, index) => ({ value: String(index), label })),
              ]}
              onChange={(value) => place(id, value)}
            />
          </div>
        );
      })}
    </section>
  );
}
