import { ProblemText } from "../../member/list-frame";

/** Says why the service refused what a form asked for, if it did. */
export function Refusal({ code }: { readonly code: string | null }) {
  if (!code) return null;
  return (
    <div className="member-failure" role="alert">
      <ProblemText code={code} />
    </div>
  );
}
