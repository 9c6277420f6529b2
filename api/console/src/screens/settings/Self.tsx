import { Button } from "react-aria-components";
import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import { Facts } from "../../parts/Facts.tsx";
import { Moment } from "../../parts/Moment.tsx";
import { signOut } from "../../session/session.ts";
import { text } from "./text.ts";

export function Self() {
  const { data, error } = useAsk(call("get", "/api/v1/tokens/self"));
  const self = data?.data;
  const names = text.self;
  return (
    <section className="panel stack">
      <h2>{text.who}</h2>
      {error && <p className="notice bad">{error.message}</p>}
      {self && (
        <Facts
          facts={[
            [names.name, self.name],
            [names.role, self.role],
            [names.prefix, <code key="p">{self.prefix}</code>],
            [names.tenant, self.tenant_id ?? names.everyTenant],
            [names.expires, self.expires_at ? <Moment key="e" at={self.expires_at} /> : names.never],
            [names.allowed, self.allowed_cidrs.join(", ")],
            [names.used, self.last_used_at && <Moment key="u" at={self.last_used_at} />],
          ]}
        />
      )}
      <div className="row">
        <Button onPress={signOut}>{text.signOut}</Button>
      </div>
    </section>
  );
}
