import type { BreakoutPlan, Person } from "@conclave/client";
import { Button } from "@conclave/ui/button";
import { NumberField } from "@conclave/ui/number-field";
import { RadioField } from "@conclave/ui/radio-field";
import { SelectField } from "@conclave/ui/select-field";
import { SwitchField } from "@conclave/ui/switch-field";
import { TextField } from "@conclave/ui/text-field";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import {
  type Assignment,
  type Draft,
  dealable,
  dealtRooms,
  durations,
  firstDraft,
  nameLimit,
  placeable,
  planOf,
  roomLimit,
  roomNames,
  unplaced,
} from "./plan";

export interface PlanFormProps {
  readonly people: readonly Person[];
  readonly onOpen: (plan: BreakoutPlan) => void;
}

const forever = "";

/** The form to open rooms: how many, who goes where, and for how long. */
export function PlanForm({ people, onOpen }: PlanFormProps) {
  const { t } = useTranslation();
  const [draft, setDraft] = useState(firstDraft);
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const unnamed = (number: number) => t("breakout.numbered", { number });
  return (
    <form
      className="panel-body breakout"
      onSubmit={(event) => {
        event.preventDefault();
        onOpen(planOf(draft));
      }}
    >
      <p className="breakout-hint">{t("breakout.explain")}</p>
      <NumberField
        label={t("breakout.count")}
        value={draft.count}
        min={1}
        max={roomLimit}
        onChange={(count) => set({ count })}
        fewerLabel={t("breakout.fewer")}
        moreLabel={t("breakout.more")}
      />
      <SwitchField
        label={t("breakout.named")}
        isOn={draft.isNamed}
        onChange={(isNamed) => set({ isNamed })}
      />
      {draft.isNamed ? <Names draft={draft} unnamed={unnamed} onChange={set} /> : null}
      <RadioField
        label={t("breakout.assignment")}
        value={draft.assignment}
        options={[
          { value: "auto", label: t("breakout.auto"), hint: t("breakout.autoHint") },
          { value: "manual", label: t("breakout.manual"), hint: t("breakout.manualHint") },
          { value: "none", label: t("breakout.self"), hint: t("breakout.selfHint") },
        ]}
        onChange={(value) => set({ assignment: value as Assignment })}
      />
      {draft.assignment === "auto" ? (
        <Deal people={dealable(people, draft.includeHosts)} rooms={draft.count} />
      ) : null}
      {draft.assignment === "auto" ? (
        <SwitchField
          label={t("breakout.includeHosts")}
          hint={t("breakout.includeHostsHint")}
          isOn={draft.includeHosts}
          onChange={(includeHosts) => set({ includeHosts })}
        />
      ) : null}
      {draft.assignment === "manual" ? (
        <Placements
          draft={draft}
          people={people}
          names={roomNames(draft, unnamed)}
          onChange={set}
        />
      ) : null}
      <SelectField
        label={t("breakout.duration")}
        isLabelShown
        value={draft.minutes === null ? forever : String(draft.minutes)}
        options={[
          { value: forever, label: t("breakout.forever") },
          ...durations.map((count) => ({
            value: String(count),
            label: t("breakout.minutes", { count }),
          })),
        ]}
        onChange={(value) => set({ minutes: value === forever ? null : Number(value) })}
      />
      {draft.assignment === "none" ? null : (
        <SwitchField
          label={t("breakout.autoJoin")}
          hint={t("breakout.autoJoinHint")}
          isOn={draft.autoJoin}
          onChange={(autoJoin) => set({ autoJoin })}
        />
      )}
      <SwitchField
        label={t("breakout.allowReturn")}
        isOn={draft.allowReturn}
        onChange={(allowReturn) => set({ allowReturn })}
      />
      <div className="panel-foot">
        <Button type="submit" look="primary">
          {t("breakout.open")}
        </Button>
      </div>
    </form>
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

interface NamesProps {
  readonly draft: Draft;
  readonly unnamed: (number: number) => string;
  readonly onChange: (change: Partial<Draft>) => void;
}

function Names({ draft, unnamed, onChange }: NamesProps) {
  const { t } = useTranslation();
  const rename = (index: number, name: string) => {
    const names = Array.from({ length: draft.count }, (_, i) => draft.names[i] ?? "");
    names[index] = name;
    onChange({ names });
  };
  return Array.from({ length: draft.count }, (_, index) => (
    <TextField
      // biome-ignore lint/suspicious/noArrayIndexKey: a room without a name is its number.
      key={index}
      label={t("breakout.nameOf", { number: index + 1 })}
      value={draft.names[index] ?? ""}
      placeholder={unnamed(index + 1)}
      maxLength={nameLimit}
      autoComplete="off"
      onChange={(name) => rename(index, name)}
    />
  ));
}

interface PlacementsProps {
  readonly draft: Draft;
  readonly people: readonly Person[];
  readonly names: readonly string[];
  readonly onChange: (change: Partial<Draft>) => void;
}

/** Assigns people to rooms by hand. A person without a room stays in the main room. */
function Placements({ draft, people, names, onChange }: PlacementsProps) {
  const { t } = useTranslation();
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
