// Something that the API does in several answers, each with a cursor to go on from: tried to its end first, then done.

export type Answer = { readonly dry_run: boolean; readonly next_cursor: string | null };
export type Passes<A> = {
  readonly phase: "try" | "do" | "done";
  readonly cursor: string | null;
  readonly answers: readonly A[]; // of the pass that is under way or over
};

export function untried<A>(): Passes<A> {
  return { phase: "try", cursor: null, answers: [] };
}

export function answered<A extends Answer>({ phase, answers }: Passes<A>, answer: A): Passes<A> {
  const together = [...answers.filter(({ dry_run }) => dry_run === answer.dry_run), answer];
  if (answer.next_cursor !== null) return { phase, cursor: answer.next_cursor, answers: together };
  return { phase: phase === "try" ? "do" : "done", cursor: null, answers: together };
}
