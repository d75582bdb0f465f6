import { spelled } from "./device-lines";

/** Groups of digits, which a screen reader reads digit by digit. */
export function DigitGroups({ groups }: { readonly groups: readonly string[] }) {
  return (
    <p className="digit-groups">
      {groups.map((digits, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two groups may be alike.
        <span key={index}>
          <span aria-hidden="true">{digits}</span>
          <span className="visually-hidden">{`${spelled(digits)}, `}</span>
        </span>
      ))}
    </p>
  );
}
