import type { ReactNode } from "react";

// An object's fields, a line each; what is not set is left out.
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  const told = facts.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return (
    <dl className="facts">
      {told.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
