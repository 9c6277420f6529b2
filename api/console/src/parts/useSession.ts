import { type May, may, session } from "../session/session.ts";
import { tenant } from "../store/tenant.ts";
import { useStore } from "./useStore.ts";

// Whether the token in use may do such a thing.
export function useMay(what: May): boolean {
  useStore(session);
  return may(what);
}

// What lists of objects of tenants are narrowed by.
export function useTenant(): { tenant_id?: string } {
  const chosen = useStore(tenant);
  return chosen === null ? {} : { tenant_id: chosen };
}
