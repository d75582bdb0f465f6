import type { BreakoutPlan, Person } from "@conclave/client";
import type { Value } from "@conclave/client/pre-join";
import { Button } from "@conclave/ui/button";
import { NumberField } from "@conclave/ui/number-field";
import { SelectField } from "@conclave/ui/select-field";
import { SwitchField } from "@conclave/ui/switch-field";
import { TextField } from "@conclave/ui/text-field";
import { useObservable } from "@conclave/ui/use-observable";
import { useTranslation } from "react-i18next";
import { AssignmentFields } from "./assignment-fields";
import { type Draft, durations, nameLimit, planOf, roomLimit } from "./plan";
import { useOpening } from "./use-opening";

export interface PlanFormProps {
  readonly plan: Value<Draft>;
  readonly people: readonly Person[];
  /** Resolves to whether the service has opened the rooms. */
  readonly onOpen: (plan: BreakoutPlan) => Promise<boolean>;
}

/** The form to open rooms: how many, who goes where, and for how long. */
export function PlanForm({ plan, people, onOpen }: PlanFormProps) {
  const { t } = useTranslation();
  const draft = useObservable(plan);
  const { isOpening, open } = useOpening(() => onOpen(planOf(draft)));
  const set = (change: Partial<Draft>) => plan.update((before) => ({ ...before, ...change }));
  return (
    <form
      className="panel-body breakout"
      onSubmit={(event) => {
        event.preventDefault();
        void open();
      }}
    >
      <p className="breakout-hint">{t("breakout.explain")}</p>
      <RoomFields draft={draft} onChange={set} />
      <AssignmentFields draft={draft} people={people} onChange={set} />
      <DurationField minutes={draft.minutes} onChange={(minutes) => set({ minutes })} />
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
        <Button type="submit" look="primary" isBusy={isOpening}>
          {t("breakout.open")}
        </Button>
      </div>
    </form>
  );
}

interface RoomFieldsProps {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** The number of rooms, and their names if they have any. */
function RoomFields({ draft, onChange }: RoomFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <NumberField
        label={t("breakout.count")}
        value={draft.count}
        min={1}
        max={roomLimit}
        onChange={(count) => onChange({ count })}
        fewerLabel={t("breakout.fewer")}
        moreLabel={t("breakout.more")}
      />
      <SwitchField
        label={t("breakout.named")}
        isOn={draft.isNamed}
        onChange={(isNamed) => onChange({ isNamed })}
      />
      {draft.isNamed ? <Names draft={draft} onChange={onChange} /> : null}
    </>
  );
}

function Names({ draft, onChange }: RoomFieldsProps) {
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
      placeholder={t("breakout.numbered", { number: index + 1 })}
      maxLength={nameLimit}
      autoComplete="off"
      onChange={(name) => rename(index, name)}
    />
  ));
}

interface DurationFieldProps {
  /** Null: no limit. */
  readonly minutes: number | null;
  readonly onChange: (minutes: number | null) => void;
}

const forever = "";

function DurationField({ minutes, onChange }: DurationFieldProps) {
  const { t } = useTranslation();
  return (
    <SelectField
      label={t("breakout.duration")}
      isLabelShown
      value={minutes === null ? forever : String(minutes)}
      options={[
        { value: forever, label: t("breakout.forever") },
        ...durations.map((count) => ({
          value: String(count),
          label: t("breakout.minutes", { count }),
        })),
      ]}
      onChange={(value) => onChange(value === forever ? null : Number(value))}
    />
  );
}
