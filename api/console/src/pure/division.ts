// How a network is divided into parts, beside what stands in it already.
import {
  bitsOf,
  formatAddress,
  formatNetwork,
  holds,
  lastOf,
  type Network,
  sizeOf,
  subnetLengths,
} from "./space.ts";
import type { Run } from "./tiles.ts";

// What is free of a network, by address, in blocks as large as their boundaries let them be.
export function freeBlocks(whole: Network, taken: readonly Network[]): Network[] {
  const near = taken.filter((each) => holds(whole, each) || holds(each, whole));
  if (near.length === 0) return [whole];
  if (near.some((each) => holds(each, whole))) return [];
  return halvesOf(whole).flatMap((half) => freeBlocks(half, near));
}

function halvesOf({ family, first, length }: Network): Network[] {
  const half = { family, first, length: length + 1 };
  return [half, { ...half, first: first + sizeOf(half) }];
}

// How many parts of a length have room.
export function roomFor(free: readonly Network[], length: number): bigint {
  return free.reduce(
    (sum, block) => sum + (block.length > length ? 0n : 1n << BigInt(length - block.length)),
    0n,
  );
}

// Where parts of such lengths come, in their order; null where no room is left. The largest come first, each at the lowest
// free address: whatever fits at all fits so.
export function placed(free: readonly Network[], lengths: readonly number[]): (Network | null)[] {
  const left = [...free];
  const found = lengths.map((): Network | null => null);
  const order = lengths.map((length, at) => ({ length, at })).sort((a, b) => a.length - b.length);
  for (const { length, at } of order) {
    const place = left.findIndex((block) => block.length <= length);
    const block = left[place];
    if (block === undefined) continue;
    found[at] = { ...block, length };
    left.splice(place, 1, ...restOf(block, length));
  }
  return found;
}

// What is left of a block when its first part is taken, by address.
function restOf({ family, first, length }: Network, part: number): Network[] {
  return Array.from({ length: part - length }, (_, at) => {
    const rest = { family, first, length: part - at };
    return { ...rest, first: first + sizeOf(rest) };
  });
}

// The lengths that so many equal parts may have, the largest parts first. In IPv6 nibbles come before all others, as
// reverse zones and people have them.
export function equalLengths(whole: Network, free: readonly Network[], count: number): number[] {
  const last = whole.family === 4 ? 30 : whole.length > 64 ? bitsOf(whole) : 64;
  const all = Array.from({ length: Math.max(1, last - whole.length + 1) }, (_, at) => whole.length + at);
  const fitting = all.filter((length) => count > 0 && roomFor(free, length) >= BigInt(count));
  if (whole.family === 4) return fitting;
  const isNibble = (length: number) => length % 4 === 0;
  return [...fitting.filter(isNibble), ...fitting.filter((length) => !isNibble(length))];
}

// Lengths as they are typed, "24,24,25" or "/24 /25"; null where one is none of a part of the network.
export function lengthsOf(typed: string, whole: Network): number[] | null {
  const told = typed.split(/[\s,]+/).filter(Boolean);
  const lengths = told.map((each) => (/^\/?\d{1,3}$/.test(each) ? Number(each.replace("/", "")) : -1));
  return lengths.every((length) => length >= whole.length && length <= bitsOf(whole)) ? lengths : null;
}

// Lengths to begin with: two halves in IPv4, in IPv6 the two at the next nibble.
export function usualLengths(whole: Network): string {
  const [half = whole.length] = subnetLengths({
    ...whole,
    length: Math.min(whole.length + 1, bitsOf(whole)),
  });
  return `${half}, ${half}`;
}

// The first or last address that a host may bear, as the API's `gateway_at` has it.
export function gatewayOf(network: Network, at: "first" | "last"): string {
  const { family, first, length } = network;
  const last = lastOf(network);
  if (family === 6) return formatAddress(6, at === "last" || first === last ? last : first + 1n);
  const edge = length > 30 ? 0n : 1n;
  return formatAddress(4, at === "last" ? last - edge : first + edge);
}

export function runsOf(kind: string, networks: readonly Network[]): Run[] {
  return networks.map((network) => ({
    start_ip: formatAddress(network.family, network.first),
    end_ip: formatAddress(network.family, lastOf(network)),
    type: kind,
    id: formatNetwork(network),
  }));
}
