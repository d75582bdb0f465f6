import type { ReactNode } from "react";

/*
 * Sixteen small things with a face, on a round plate of 64 units, in one style: flat shapes, two or
 * three colours each, the same eyes and the same smile. Colours are tokens.
 */

const fill = (token: string) => ({ fill: `var(--avatar-${token})` });
const line = (token: string, width = 2.4) =>
  ({
    fill: "none",
    stroke: `var(--avatar-${token})`,
    strokeWidth: width,
    strokeLinecap: "round",
    strokeLinejoin: "round",
  }) as const;

function Face({ x = 32, y = 36, gap = 7 }: { x?: number; y?: number; gap?: number }) {
  return (
    <>
      <circle cx={x - gap} cy={y} r="2.2" style={fill("ink")} />
      <circle cx={x + gap} cy={y} r="2.2" style={fill("ink")} />
      <path d={`M${x - 3.5} ${y + 4.5}q3.5 3.6 7 0`} style={line("ink", 2)} />
    </>
  );
}

const fox = (
  <>
    <path d="M14 16l13 8h10l13-8-2 22q-3 14-16 18-13-4-16-18z" style={fill("coral")} />
    <path d="M32 56q-11-4-15-15 9 0 15 7 6-7 15-7-4 11-15 15z" style={fill("white")} />
    <circle cx="24" cy="35" r="2.2" style={fill("ink")} />
    <circle cx="40" cy="35" r="2.2" style={fill("ink")} />
    <path d="M28.5 49h7L32 53z" style={fill("ink")} />
  </>
);

const owl = (
  <>
    <path d="M14 14q8 5 18 5t18-5q2 12 0 26-3 16-18 16T14 40q-2-14 0-26z" style={fill("earth")} />
    <circle cx="24" cy="32" r="9" style={fill("white")} />
    <circle cx="40" cy="32" r="9" style={fill("white")} />
    <circle cx="25" cy="32" r="3.4" style={fill("ink")} />
    <circle cx="39" cy="32" r="3.4" style={fill("ink")} />
    <path d="M28.5 38h7L32 44z" style={fill("sun")} />
  </>
);

const cat = (
  <>
    <path d="M15 12l12 9h10l12-9 1 24q0 19-18 19T14 36z" style={fill("slate")} />
    <path d="M27 21h10l-3 7h-4z" style={fill("snow")} />
    <Face y={37} gap={8} />
    <path d="M12 40l8 1M12 46l8-2M52 40l-8 1M52 46l-8-2" style={line("snow", 1.8)} />
  </>
);

const bear = (
  <>
    <circle cx="18" cy="20" r="8" style={fill("earth")} />
    <circle cx="46" cy="20" r="8" style={fill("earth")} />
    <circle cx="18" cy="20" r="3.6" style={fill("sand")} />
    <circle cx="46" cy="20" r="3.6" style={fill("sand")} />
    <circle cx="32" cy="36" r="20" style={fill("earth")} />
    <ellipse cx="32" cy="43" rx="10" ry="8" style={fill("sand")} />
    <circle cx="24" cy="33" r="2.2" style={fill("ink")} />
    <circle cx="40" cy="33" r="2.2" style={fill("ink")} />
    <path d="M29 40h6l-3 3.4zM32 43.4v3" style={line("ink", 2)} />
  </>
);

const rabbit = (
  <>
    <ellipse cx="24" cy="18" rx="5.5" ry="14" style={fill("white")} />
    <ellipse cx="40" cy="18" rx="5.5" ry="14" style={fill("white")} />
    <ellipse cx="24" cy="19" rx="2.4" ry="9" style={fill("rose")} />
    <ellipse cx="40" cy="19" rx="2.4" ry="9" style={fill("rose")} />
    <ellipse cx="32" cy="42" rx="17" ry="15" style={fill("white")} />
    <Face y={40} />
    <circle cx="20" cy="45" r="3" style={fill("rose")} />
    <circle cx="44" cy="45" r="3" style={fill("rose")} />
  </>
);

const whale = (
  <>
    <path
      d="M9 38q0-14 17-14 15 0 18 12 8 1 9-9l-5-5q6-2 8 3 5-3 6 3-2 5-6 5-2 20-24 20Q9 53 9 38z"
      style={fill("blue")}
    />
    <path d="M11 43q10 6 29 2-5 8-16 8-10 0-13-10z" style={fill("snow")} />
    <circle cx="20" cy="37" r="2.2" style={fill("ink")} />
    <path d="M23 20q-1-6-6-6M25 20q0-7 6-8" style={line("blue", 2.6)} />
  </>
);

const bird = (
  <>
    <path d="M12 36q0-20 20-20t20 20-20 20-20-20z" style={fill("sun")} />
    <path d="M29 17q-1-6 3-8 0 3 3 3-1 3 0 5z" style={fill("coral")} />
    <path d="M13 38q8-3 12 5-5 7-10 4z" style={fill("coral")} />
    <path d="M51 38q-8-3-12 5 5 7 10 4z" style={fill("coral")} />
    <circle cx="25" cy="31" r="2.2" style={fill("ink")} />
    <circle cx="39" cy="31" r="2.2" style={fill("ink")} />
    <path d="M27.5 35.5h9L32 41z" style={fill("coral")} />
  </>
);

const turtle = (
  <>
    <ellipse cx="16" cy="50" rx="6" ry="4" style={fill("moss")} />
    <ellipse cx="40" cy="50" rx="6" ry="4" style={fill("moss")} />
    <path d="M8 46q2-22 21-22t19 22z" style={fill("leaf")} />
    <path d="M20 27l4 9h10l4-9M24 36l-5 10M34 36l5 10" style={line("moss", 2.2)} />
    <path d="M44 46q0-14 8-14t7 9q-1 8-9 8z" style={fill("moss")} />
    <circle cx="53" cy="38" r="2" style={fill("ink")} />
    <path d="M52 43q3 1.5 5-1" style={line("ink", 1.8)} />
  </>
);

const cactus = (
  <>
    <path d="M46 26v8q0 5-6 5" style={line("leaf", 7)} />
    <path d="M18 22v7q0 6 6 6" style={line("leaf", 7)} />
    <path d="M22 50V24q0-11 10-11t10 11v26z" style={fill("leaf")} />
    <path d="M18 46h28l-3 12H21z" style={fill("coral")} />
    <circle cx="32" cy="11" r="4" style={fill("rose")} />
    <Face y={31} gap={5} />
  </>
);

const mushroom = (
  <>
    <path d="M23 36h18l2 17q-11 5-22 0z" style={fill("white")} />
    <path d="M9 37Q9 12 32 12t23 25q-23 6-46 0z" style={fill("coral")} />
    <circle cx="22" cy="26" r="4" style={fill("white")} />
    <circle cx="38" cy="20" r="3.2" style={fill("white")} />
    <circle cx="45" cy="30" r="3.6" style={fill("white")} />
    <Face y={45} gap={5} />
  </>
);

const sun = (
  <>
    <path
      d="M32 8v7M32 49v7M8 32h7M49 32h7M15 15l5 5M44 44l5 5M49 15l-5 5M20 44l-5 5"
      style={line("coral", 4)}
    />
    <circle cx="32" cy="32" r="15" style={fill("sun")} />
    <Face y={30} gap={5.5} />
  </>
);

const moon = (
  <>
    <path d="M40 10a23 23 0 1 0 13 34A20 20 0 0 1 40 10z" style={fill("sun")} />
    <circle cx="22" cy="36" r="2.2" style={fill("ink")} />
    <circle cx="33" cy="40" r="2.2" style={fill("ink")} />
    <path d="M23 43q3 4 7 3" style={line("ink", 2)} />
    <path d="M48 16l1.4 3.6L53 21l-3.6 1.4L48 26l-1.4-3.6L43 21l3.6-1.4z" style={fill("white")} />
  </>
);

const mountain = (
  <>
    <path d="M4 54l20-34 9 13 6-8 21 29z" style={fill("slate")} />
    <path d="M24 20l9 13-4 3-5-3-5 4-3-3z" style={fill("snow")} />
    <path d="M39 25l6 8-5 2-4-5z" style={fill("snow")} />
    <Face x={29} y={44} gap={6} />
  </>
);

const boat = (
  <>
    <path d="M33 8v34H14z" style={fill("white")} />
    <path d="M36 16q12 8 14 26H36z" style={fill("coral")} />
    <path d="M9 44h46q-3 13-13 13H21Q12 57 9 44z" style={fill("earth")} />
    <circle cx="26" cy="49" r="2.2" style={fill("white")} />
    <circle cx="38" cy="49" r="2.2" style={fill("white")} />
    <path d="M29 52q3 2.6 6 0" style={line("white", 2)} />
  </>
);

const cup = (
  <>
    <path d="M44 32h4q7 0 7 7t-8 7h-4" style={line("sea", 4)} />
    <path d="M12 28h34v13q0 14-13 14h-8q-13 0-13-14z" style={fill("sea")} />
    <path d="M12 28h34v4H12z" style={fill("earth")} />
    <path d="M22 22q-3-4 0-7t0-6M34 22q-3-4 0-7t0-6" style={line("white", 2.6)} />
    <Face x={29} y={41} gap={6} />
  </>
);

const cloud = (
  <>
    <path
      d="M18 50q-11 0-11-10 0-9 9-10 1-14 15-14 11 0 14 10 12 0 12 12 0 12-12 12z"
      style={fill("white")}
    />
    <Face x={31} y={36} />
    <circle cx="20" cy="41" r="3" style={fill("rose")} />
    <circle cx="42" cy="41" r="3" style={fill("rose")} />
  </>
);

interface AvatarArt {
  /** The plate behind the figure. */
  readonly plate: string;
  readonly figure: ReactNode;
}

const avatarArt: Readonly<Record<string, AvatarArt>> = {
  a01: { plate: "sand", figure: fox },
  a02: { plate: "lilac", figure: owl },
  a03: { plate: "sun", figure: cat },
  a04: { plate: "sky", figure: bear },
  a05: { plate: "moss", figure: rabbit },
  a06: { plate: "sky", figure: whale },
  a07: { plate: "blue", figure: bird },
  a08: { plate: "sand", figure: turtle },
  a09: { plate: "sand", figure: cactus },
  a10: { plate: "moss", figure: mushroom },
  a11: { plate: "sky", figure: sun },
  a12: { plate: "plum", figure: moon },
  a13: { plate: "rose", figure: mountain },
  a14: { plate: "sea", figure: boat },
  a15: { plate: "rose", figure: cup },
  a16: { plate: "blue", figure: cloud },
};

export const avatarIds: readonly string[] = Object.keys(avatarArt);

/** One of the drawings on its plate, to stand in an image of 64 units; `otherwise` for other ids. */
export function AvatarDrawing(props: { readonly avatar: string; readonly otherwise: ReactNode }) {
  const art = avatarArt[props.avatar];
  if (!art) return props.otherwise;
  return (
    <>
      <circle cx="32" cy="32" r="32" style={{ fill: `var(--avatar-${art.plate})` }} />
      <g transform="translate(5.8 5.4) scale(0.82)">{art.figure}</g>
    </>
  );
}
