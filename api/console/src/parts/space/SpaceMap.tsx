// A map of a network: what each address or part of it is used by, drawn; the same in a table of counts, and for an
// address that is typed. What is looked at stands in the URL, as `at` (or another word) and `steps`.
import { type MouseEvent, useEffect, useMemo, useRef, useState } from "react";
import { Button } from "react-aria-components";
import {
  around,
  bitsOf,
  countText,
  formatAddress,
  formatNetwork,
  holds,
  type Network,
  parseAddress,
} from "../../pure/space.ts";
import { type Block, type Grid, gridOf, type Run, runAt, tileNetwork, zoomed } from "../../pure/tiles.ts";
import { preferences } from "../../store/preferences.ts";
import { text } from "../../text/space.ts";
import { Entry } from "../form/Entry.tsx";
import { useStore } from "../useStore.ts";
import { useUrl } from "../useUrl.ts";
import { paintGrid, paintKey } from "./paint.ts";
import "./space.css";

export type Count = { readonly kind: string; readonly addresses: bigint };
const CLOSEST = 32; // more steps than any map has
type Props = {
  network: Network;
  runs: readonly Run[];
  blocks: readonly Block[];
  counts: readonly Count[]; // a line of the table each
  word?: string; // of the URL, for the address that is looked at
};

export function SpaceMap({ network, runs, blocks, counts, word = "at" }: Props) {
  const [words, change] = useUrl();
  const at = words[word] ?? "";
  const looked = parseAddress(at);
  const inside =
    looked !== null && holds(network, around(looked.family, looked.value, bitsFor(looked.family)));
  const steps = Number(words.steps ?? 0);
  const grid = useMemo(() => {
    const into = parseAddress(at);
    const near = inside && into !== null && runs.length > 0;
    return gridOf(near ? zoomed(network, into.value, steps) : network, runs, blocks);
  }, [network, runs, blocks, at, inside, steps]);
  return (
    <div className="space-map">
      <div className="row">
        <Find start={at} onFound={(found) => change({ [word]: found, steps: String(CLOSEST) })} />
        {at && <Button onPress={() => change({ [word]: undefined, steps: undefined })}>{text.out}</Button>}
      </div>
      <p role="status">
        {text.scale(formatNetwork(grid.view), grid.length)}
        {looked !== null && ` · ${saidOf(network, runs, inside, looked.value, at)}`}
      </p>
      <Drawing grid={grid} onPress={(found) => change({ [word]: found, steps: String(steps + 1) })} />
      <Counts counts={counts} />
    </div>
  );
}

function bitsFor(family: 4 | 6): number {
  return bitsOf({ family, first: 0n, length: 0 });
}

function saidOf(
  network: Network,
  runs: readonly Run[],
  inside: boolean,
  value: bigint,
  typed: string,
): string {
  if (!inside) return text.elsewhere(typed, formatNetwork(network));
  const run = runAt(runs, value);
  return text.at(typed, run === undefined ? text.kinds.used : kindOf(run.type));
}

function kindOf(kind: string): string {
  return (text.kinds as Record<string, string>)[kind] ?? kind;
}

function Find({ start, onFound }: { start: string; onFound: (address: string) => void }) {
  const [typed, setTyped] = useState(start);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (parseAddress(typed.trim()) !== null) onFound(typed.trim());
      }}
    >
      <Entry label={text.find} hint={text.findHint} value={typed} onChange={setTyped} autoComplete="off" />
    </form>
  );
}

function Drawing({ grid, onPress }: { grid: Grid; onPress: (address: string) => void }) {
  const ref = useRef<HTMLCanvasElement>(null);
  const { theme } = useStore(preferences);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours of the style sheet
  useEffect(() => {
    const canvas = ref.current;
    const frame = canvas?.parentElement;
    if (!canvas || !frame) return;
    let width = 0;
    const draw = () => paintGrid(canvas, grid, width);
    const fit = () => {
      const fits = Math.min(frame.clientWidth, 1024);
      if (fits === width) return;
      width = fits;
      draw();
    };
    const observer = new ResizeObserver(fit); // tells the first size too
    observer.observe(frame);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", draw);
    fit();
    return () => {
      observer.disconnect();
      scheme.removeEventListener("change", draw);
    };
  }, [grid, theme]);

  function press(event: MouseEvent<HTMLCanvasElement>) {
    const box = event.currentTarget.getBoundingClientRect();
    const rows = Math.ceil(grid.count / grid.columns);
    const column = Math.floor(((event.clientX - box.left) / box.width) * grid.columns);
    const row = Math.floor(((event.clientY - box.top) / box.height) * rows);
    const { family, first } = tileNetwork(grid, row * grid.columns + column);
    onPress(formatAddress(family, first));
  }

  // By keyboard the field above does the same.
  return <canvas ref={ref} role="img" aria-label={text.map(formatNetwork(grid.view))} onClick={press} />;
}

function Counts({ counts }: { counts: readonly Count[] }) {
  const all = counts.reduce((sum, { addresses }) => sum + addresses, 0n);
  return (
    <table aria-label={text.legend}>
      <thead>
        <tr>
          <th scope="col">{text.kind}</th>
          <th scope="col">{text.addresses}</th>
          <th scope="col">{text.share}</th>
        </tr>
      </thead>
      <tbody>
        {counts.map(({ kind, addresses }) => (
          <tr key={kind}>
            <td>
              <Key kind={kind} />
              {kindOf(kind)}
            </td>
            <td>{countText(addresses)}</td>
            <td>{`${(Number((addresses * 1000n) / (all || 1n)) / 10).toFixed(1)} %`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Key({ kind }: { kind: string }) {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (ref.current) paintKey(ref.current, kind);
  }, [kind]);
  return (
    <span aria-hidden="true">
      <canvas ref={ref} className="space-key" width={20} height={20} />
    </span>
  );
}
