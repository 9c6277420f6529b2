// A refusal or failure as the API tells it: {"error": {"code", "message", "details"?, "request_id"}}.
import type { components } from "./schema";

type Envelope = components["schemas"]["ErrorEnvelope"];

export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: unknown;
  readonly requestId: string | undefined;

  constructor(status: number, told: unknown) {
    const error = isEnvelope(told) ? told.error : undefined;
    super(error?.message ?? `HTTP ${status}`);
    this.status = status;
    this.code = error?.code ?? "unknown";
    this.details = error?.details;
    this.requestId = error?.request_id;
  }

  // Whether it was refused for good; what failed otherwise, or is still under way, may be done all the same.
  get isFinal(): boolean {
    return this.status >= 400 && this.status < 500 && this.code !== "idempotency_in_progress";
  }

  // Field and reason of a validation error, else nothing.
  get field(): { name: string; reason: string } | undefined {
    const details = this.details as { field?: unknown; reason?: unknown } | undefined;
    if (typeof details?.field !== "string") return undefined;
    return { name: details.field, reason: String(details.reason ?? this.message) };
  }
}

function isEnvelope(told: unknown): told is Envelope {
  return typeof told === "object" && told !== null && "error" in told;
}
