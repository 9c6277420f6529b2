// API tokens, their roles and the networks that they are accepted from.
import { useState } from "react";
import { call } from "../../api/calls.ts";
import type { Token } from "../../api/types.ts";
import { CreateButton } from "../../parts/CreateButton.tsx";
import { CreateForm } from "../../parts/fields/CreateForm.tsx";
import { Moment } from "../../parts/Moment.tsx";
import { Secret } from "../../parts/Secret.tsx";
import type { Column } from "../../parts/table/columns.ts";
import { Listing } from "../../parts/table/Listing.tsx";
import { useTenant } from "../../parts/useSession.ts";
import { useUrl } from "../../parts/useUrl.ts";
import { creatable } from "./fields.ts";
import { TokenDrawer } from "./TokenDrawer.tsx";
import { text } from "./text.ts";

export default function Tokens() {
  const [words, change] = useUrl();
  const tenant = useTenant();
  return (
    <div className="table">
      <h1>{text.title}</h1>
      <Listing
        name="tokens"
        label={text.title}
        columns={columns}
        list={call("get", "/api/v1/tokens", { params: { query: { ...tenant } } })}
        onOpen={(token) => change({ token: token.id })}
      >
        <CreateButton title={text.add} may="administer">
          {(close) => <NewToken onDone={close} />}
        </CreateButton>
      </Listing>
      {words.token && <TokenDrawer id={words.token} onClose={() => change({ token: undefined })} />}
    </div>
  );
}

const columns: readonly Column<Token>[] = [
  { id: "name", title: text.columns.name, cell: (token) => token.name, width: "minmax(10rem, 2fr)" },
  { id: "role", title: text.columns.role, cell: (token) => token.role, width: "7rem" },
  { id: "prefix", title: text.columns.prefix, cell: (token) => token.prefix, width: "9rem" },
  {
    id: "last_used_at",
    title: text.columns.used,
    cell: (token) => <Moment at={token.last_used_at} inRow />,
    width: "11rem",
  },
  {
    id: "expires_at",
    title: text.columns.expires,
    cell: (token) => <Moment at={token.expires_at} inRow />,
    width: "11rem",
  },
  { id: "allowed_cidrs", title: text.columns.allowed, cell: (token) => token.allowed_cidrs.join(", ") },
  { id: "tenant_id", title: text.columns.tenant, cell: (token) => token.tenant_id, optional: true },
];

function NewToken({ onDone }: { onDone: () => void }) {
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) return <Secret label={text.secret} secret={secret} onDone={onDone} />;
  return (
    <CreateForm
      fields={creatable}
      start={{ role: "viewer" }}
      callOf={(body) => call("post", "/api/v1/tokens", { body: body as never })}
      action={text.make}
      onDone={(made) => setSecret(made.token)}
      onCancel={onDone}
    />
  );
}
