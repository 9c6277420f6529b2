import { catalogue } from "./catalogue.ts";

// What maps of addresses and measures of space say (parts/space/).
export const text = catalogue({
  find: "Zoom to an address",
  findHint: "Or press a place on the map.",
  out: "Show all",
  map: (cidr: string) => `Map of ${cidr}`,
  scale: (cidr: string, length: number) => `${cidr}, a tile a /${length}`,
  legend: "What it is used by",
  kind: "Use",
  addresses: "Addresses",
  share: "Share",
  at: (address: string, what: string) => `${address}: ${what}`,
  elsewhere: (address: string, cidr: string) => `${address} is not in ${cidr}`,
  full: (share: string) => `${share} used`,
  notCounted: "not counted yet",
  kinds: {
    free: "Free",
    pool: "In a pool, free to clients",
    lease: "Leased",
    reservation: "Reserved",
    assignment: "Assigned",
    exclude: "Excluded",
    gateway: "Gateway",
    network: "Network address",
    broadcast: "Broadcast address",
    quarantine: "Declined, set aside",
    subnet: "Subnet",
    planned: "Planned",
    used: "In use",
  },
});
