import { initialsOf } from "@conclave/client/initials";
import { type ComponentType, lazy, type ReactNode, Suspense } from "react";
import { loadAgain } from "./load-again";
import "./avatar.css";

interface DrawingProps {
  readonly avatar: string;
  readonly otherwise: ReactNode;
}

/**
 * The drawings load when the first is shown: a page without any does not wait for them. Without
 * them, people have their initials.
 */
const AvatarDrawing = lazy(async (): Promise<{ default: ComponentType<DrawingProps> }> => {
  try {
    const { AvatarDrawing } = await loadAgain(() => import("./avatar-art"));
    return { default: AvatarDrawing };
  } catch {
    return { default: ({ otherwise }) => otherwise };
  }
});

/** The plates behind initials: those on which dark ink is readable. */
const plates = ["sand", "rose", "sun", "moss", "sea", "sky", "lilac", "snow"] as const;

/** The same name gets the same plate everywhere. */
function plateOf(name: string): string {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return plates[sum % plates.length] ?? "sand";
}

export interface AvatarProps {
  readonly name: string;
  /** `a01` to `a16`; anything else shows initials. */
  readonly avatar: string | null;
}

/** An avatar, initials, or without a name a silhouette. Hidden from assistive technology, so show the name beside it. */
export function Avatar({ name, avatar }: AvatarProps) {
  const initials = <Initials name={name} />;
  return (
    <svg className="avatar" viewBox="0 0 64 64" aria-hidden="true" focusable="false">
      {avatar === null ? (
        initials
      ) : (
        <Suspense fallback={initials}>
          <AvatarDrawing avatar={avatar} otherwise={initials} />
        </Suspense>
      )}
    </svg>
  );
}

function Initials({ name }: { readonly name: string }) {
  const initials = initialsOf(name);
  return (
    <>
      <circle cx="32" cy="32" r="32" style={{ fill: `var(--avatar-${plateOf(name)})` }} />
      {initials === "" ? (
        <path
          className="avatar-silhouette"
          d="M32 33a10 10 0 1 0 0-20 10 10 0 0 0 0 20Zm-19 19c0-9 8-15 19-15s19 6 19 15c-5 5-12 8-19 8s-14-3-19-8Z"
        />
      ) : (
        <text className="avatar-initials" x="32" y="33" dominantBaseline="central">
          {initials}
        </text>
      )}
    </>
  );
}
