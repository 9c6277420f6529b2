import { callsOf } from "../../api/calls.ts";
import type { TrustedRelay } from "../../api/types.ts";
import { Acts } from "../../parts/Acts.tsx";
import { changeOf, deletionOf, type Kept } from "../../parts/collection/acts.tsx";
import { Facts } from "../../parts/Facts.tsx";
import { Moment } from "../../parts/Moment.tsx";
import { ObjectDrawer } from "../../parts/ObjectDrawer.tsx";
import { text } from "./text.ts";

const kept: Kept<TrustedRelay> = {
  ...callsOf("/api/v1/trusted-relays/{id}"),
  titleOf: ({ cidr }) => cidr,
  fields: [
    { name: "cidr", label: text.columns.cidr, hint: text.cidrHint },
    { name: "description", label: text.columns.description },
  ],
};

export function RelayDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <ObjectDrawer read={kept.read(id)} nameOf={kept.titleOf} onClose={onClose}>
      {(relay, etag) => (
        <>
          <Facts
            facts={[
              [text.columns.description, relay.description],
              [text.columns.tenant, relay.tenant_id],
              [text.columns.created, <Moment key="c" at={relay.created_at} />],
            ]}
          />
          <Acts
            acts={[changeOf(kept, relay, etag, text.edit), deletionOf(kept, relay, text.remove, onClose)]}
          />
        </>
      )}
    </ObjectDrawer>
  );
}
