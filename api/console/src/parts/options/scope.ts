// Where options are stored: with all, or at an object; the narrower wins.
import { call } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import type { Body } from "../../pure/fields.ts";

export type Option = components["schemas"]["Option"];
export type Scope =
  | { readonly kind: "global"; readonly tenant?: { tenant_id?: string } }
  | { readonly kind: "subnet" | "pool" | "class" | "reservation"; readonly id: string };

export function listOf(scope: Scope) {
  switch (scope.kind) {
    case "global":
      return call("get", "/api/v1/global-options", { params: { query: { ...scope.tenant } } });
    case "subnet":
      return call("get", "/api/v1/subnets/{subnet_id}/options", {
        params: { path: { subnet_id: scope.id } },
      });
    case "pool":
      return call("get", "/api/v1/pools/{pool_id}/options", { params: { path: { pool_id: scope.id } } });
    case "class":
      return call("get", "/api/v1/client-classes/{class_id}/options", {
        params: { path: { class_id: scope.id } },
      });
    case "reservation":
      return call("get", "/api/v1/reservations/{reservation_id}/options", {
        params: { path: { reservation_id: scope.id } },
      });
  }
}

export function creationAt(scope: Scope, made: Body) {
  const body = made as never;
  switch (scope.kind) {
    case "global":
      return call("post", "/api/v1/global-options", { body: { ...made, ...scope.tenant } as never });
    case "subnet":
      return call("post", "/api/v1/subnets/{subnet_id}/options", {
        params: { path: { subnet_id: scope.id } },
        body,
      });
    case "pool":
      return call("post", "/api/v1/pools/{pool_id}/options", {
        params: { path: { pool_id: scope.id } },
        body,
      });
    case "class":
      return call("post", "/api/v1/client-classes/{class_id}/options", {
        params: { path: { class_id: scope.id } },
        body,
      });
    case "reservation":
      return call("post", "/api/v1/reservations/{reservation_id}/options", {
        params: { path: { reservation_id: scope.id } },
        body,
      });
  }
}

export function scopeOf(option: Option): "global" | "subnet" | "pool" | "class" | "reservation" {
  if (option.reservation_id) return "reservation";
  if (option.class_id) return "class";
  if (option.pool_id) return "pool";
  return option.subnet_id ? "subnet" : "global";
}
