// An Idempotency-Key: 128 random bits. (crypto.randomUUID is there over HTTPS and on localhost alone.)
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (octet) =>
    octet.toString(16).padStart(2, "0"),
  ).join("");
}
