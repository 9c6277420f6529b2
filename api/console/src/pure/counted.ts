// How many a page of a list shows, with "+" if there are more.
export function counted(page: { items: readonly unknown[]; next_cursor: string | null }): string {
  return `${page.items.length}${page.next_cursor === null ? "" : "+"}`;
}

// The network that holds one address alone.
export function networkOf(address: string): string {
  return `${address}/${address.includes(":") ? 128 : 32}`;
}
