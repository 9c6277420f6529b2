// What a map of addresses draws: a grid of tiles of one size, each with what it is used by and how full it is.
import { around, bitsOf, lastOf, type Network, parseAddress, parseNetwork } from "./space.ts";

export type Run = {
  readonly start_ip: string;
  readonly end_ip: string;
  readonly type: string;
  readonly id: string | null;
};
export type Block = { readonly cidr: string; readonly share: number };
export type Tile = { readonly kind: string; readonly share: number };
export type Grid = {
  readonly view: Network;
  readonly length: number; // of the network of a tile
  readonly columns: number;
  readonly count: number;
  // Of each tile, in arrays of one kind of value: they are many, and objects that a share is put into are slow.
  readonly kinds: readonly string[];
  readonly shares: Float64Array;
};

const MOST = 16; // bits of tiles: a /16 of addresses is drawn whole
const IDLE = new Set(["free", "pool"]);

// IPv4: a row is an octet, of larger networks than /16 a tile is a network. IPv6: a tile is two nibbles further.
export function lengthOfTiles(view: Network): number {
  const bits = bitsOf(view);
  if (view.family === 4) return Math.min(bits, view.length + MOST);
  return Math.min(bits, Math.ceil(view.length / 4) * 4 + 8);
}

export function columnsOf(view: Network, length: number): number {
  const bits = length - view.length;
  if (view.family === 6) return 16;
  return bits > 8 ? 256 : Math.min(32, 2 ** bits);
}

export function gridOf(view: Network, runs: readonly Run[], blocks: readonly Block[]): Grid {
  const length = lengthOfTiles(view);
  const count = 2 ** (length - view.length);
  const kinds = new Array<string>(count).fill("free");
  const filling = { kinds, shares: new Float64Array(count), best: new Float64Array(count) };
  const size = 1n << BigInt(bitsOf(view) - length);
  const end = lastOf(view);
  for (const span of [...runs.map(spanOf), ...blocks.map(blockSpan)]) {
    if (span === null || span.last < view.first || span.first > end) continue;
    put(span, filling, view, size);
  }
  return { view, length, columns: columnsOf(view, length), count, kinds, shares: filling.shares };
}

export function tileAt({ kinds, shares }: Grid, index: number): Tile {
  return { kind: kinds[index] ?? "free", share: shares[index] ?? 0 };
}

type Filling = { kinds: string[]; shares: Float64Array; best: Float64Array };

type Span = { first: bigint; last: bigint; kind: string; share: number };

function spanOf(run: Run): Span | null {
  const first = parseAddress(run.start_ip);
  const last = parseAddress(run.end_ip);
  if (first === null || last === null) return null;
  return { first: first.value, last: last.value, kind: run.type, share: IDLE.has(run.type) ? 0 : 1 };
}

function blockSpan(block: Block): Span | null {
  const found = parseNetwork(block.cidr);
  if (found === null) return null;
  return {
    first: found.first,
    last: lastOf(found),
    kind: block.share > 0 ? "used" : "free",
    share: block.share,
  };
}

// A tile takes the kind of what covers most of it; what is used comes before what is idle.
function put(span: Span, { kinds, shares, best }: Filling, view: Network, size: bigint): void {
  const first = larger(span.first, view.first);
  const last = smaller(span.last, lastOf(view));
  const from = Number((first - view.first) / size);
  const to = Number((last - view.first) / size);
  function partOf(at: number): number {
    const start = view.first + BigInt(at) * size;
    return Number(smaller(last, start + size - 1n) - larger(first, start) + 1n) / Number(size);
  }
  const isWhole = size === 1n;
  const weight = span.share > 0 ? 1 + span.share : span.kind === "free" ? 0.001 : 0.5; // of a tile that it fills
  for (let at = from; at <= to; at++) {
    const part = isWhole || (at !== from && at !== to) ? 1 : partOf(at);
    shares[at] = (shares[at] as number) + part * span.share;
    if (part * weight > (best[at] as number)) {
      best[at] = part * weight;
      kinds[at] = span.kind;
    }
  }
}

// Math.max and Math.min take no bigint.
function larger(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}

function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

export function tileNetwork(grid: Grid, index: number): Network {
  const size = 1n << BigInt(bitsOf(grid.view) - grid.length);
  return around(grid.view.family, grid.view.first + BigInt(index) * size, grid.length);
}

// Where one comes by so many steps into a map towards an address: in IPv4 its /24, in IPv6 two nibbles a step.
export function zoomed(view: Network, value: bigint, steps: number): Network {
  const length = view.family === 4 ? Math.max(24, view.length) : Math.min(120, lengthOfTiles(view));
  if (steps < 1 || length <= view.length) return view;
  return zoomed(around(view.family, value, length), value, steps - 1);
}

// What stands at an address.
export function runAt(runs: readonly Run[], value: bigint): Run | undefined {
  return runs.find((run) => {
    const span = spanOf(run);
    return span !== null && span.first <= value && value <= span.last;
  });
}

// How many addresses are of each kind, the most first.
export function countsOf(runs: readonly Run[]): { kind: string; addresses: bigint }[] {
  const counts = new Map<string, bigint>();
  for (const run of runs) {
    const span = spanOf(run);
    if (span) counts.set(run.type, (counts.get(run.type) ?? 0n) + span.last - span.first + 1n);
  }
  const told = [...counts].map(([kind, addresses]) => ({ kind, addresses }));
  return told.sort((a, b) => (a.addresses < b.addresses ? 1 : -1));
}
