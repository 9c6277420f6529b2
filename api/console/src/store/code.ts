// The one-time code that `ipam up` put into the fragment of its link. It makes the first token and nothing else. It
// leaves the address bar and this entry of the history before anything is drawn, and is kept in memory alone.
const PLACE = /^#code=([\w-]{1,64})$/;

let code = take();

export function bootstrapCode(): string | null {
  return code;
}

export function dropCode(): void {
  code = null;
}

function take(): string | null {
  const found = PLACE.exec(location.hash);
  if (found === null) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  return found[1] ?? null;
}
