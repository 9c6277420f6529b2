// Networks whose relays are trusted, and unknown relays.
import { call } from "../../api/calls.ts";
import type { TrustedRelay } from "../../api/types.ts";
import { CreateButton } from "../../parts/CreateButton.tsx";
import { Moment } from "../../parts/Moment.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { Listing } from "../../parts/table/Listing.tsx";
import { useTenant } from "../../parts/useSession.ts";
import { useUrl } from "../../parts/useUrl.ts";
import { RelayDrawer } from "./RelayDrawer.tsx";
import { TrustForm } from "./TrustForm.tsx";
import { text } from "./text.ts";
import { Unknown } from "./Unknown.tsx";

export default function Relays() {
  const [words, change] = useUrl();
  const tenant = useTenant();
  return (
    <div className="table">
      <h1>{text.title}</h1>
      <Unknown />
      <Listing
        name="relays"
        label={text.title}
        columns={columns}
        list={call("get", "/api/v1/trusted-relays", { params: { query: { ...tenant } } })}
        empty={text.empty}
        onOpen={(relay) => change({ relay: relay.id })}
      >
        <CreateButton title={text.add}>{(close) => <TrustForm onDone={close} />}</CreateButton>
      </Listing>
      {words.relay && <RelayDrawer id={words.relay} onClose={() => change({ relay: undefined })} />}
    </div>
  );
}

const columns: readonly Column<TrustedRelay>[] = [
  { id: "cidr", title: text.columns.cidr, cell: (relay) => relay.cidr, width: "minmax(10rem, 1fr)" },
  {
    id: "description",
    title: text.columns.description,
    cell: (relay) => relay.description,
    width: "minmax(10rem, 2fr)",
  },
  {
    id: "created_at",
    title: text.columns.created,
    cell: (relay) => <Moment at={relay.created_at} inRow />,
    width: "11rem",
  },
  { id: "tenant_id", title: text.columns.tenant, cell: (relay) => relay.tenant_id, optional: true },
];
