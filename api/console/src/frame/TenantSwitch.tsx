import { useAsk } from "../api/ask.ts";
import { call } from "../api/calls.ts";
import { Choice } from "../parts/form/Choice.tsx";
import { useStore } from "../parts/useStore.ts";
import { session } from "../session/session.ts";
import { chooseTenant, tenant } from "../store/tenant.ts";
import { text } from "../text/frame.ts";

const ALL = "";
const tenants = call("get", "/api/v1/tenants", { params: { query: { limit: 1000 } } });

// Nothing where there is one tenant, or the token is of one.
export function TenantSwitch() {
  const now = useStore(session);
  const chosen = useStore(tenant);
  const bound = now.state === "in" && now.self.tenant_id !== null;
  const { data } = useAsk(bound ? null : tenants, { staleTime: 60_000 });
  const items = data?.data.items ?? [];
  if (items.length < 2) return null;
  return (
    <Choice
      label={text.tenant.label}
      options={[{ id: ALL, title: text.tenant.all }, ...items.map(({ id, name }) => ({ id, title: name }))]}
      value={chosen ?? ALL}
      onChange={(id) => chooseTenant(id === ALL ? null : id)}
    />
  );
}
