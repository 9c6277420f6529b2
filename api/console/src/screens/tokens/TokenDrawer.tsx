import { useState } from "react";
import { call, callsOf } from "../../api/calls.ts";
import type { Token } from "../../api/types.ts";
import { type Act, Acts } from "../../parts/Acts.tsx";
import { Confirm } from "../../parts/Confirm.tsx";
import { changeOf } from "../../parts/collection/acts.tsx";
import { Facts } from "../../parts/Facts.tsx";
import { Moment } from "../../parts/Moment.tsx";
import { ObjectDrawer } from "../../parts/ObjectDrawer.tsx";
import { Secret } from "../../parts/Secret.tsx";
import { editable } from "./fields.ts";
import { text } from "./text.ts";

const kept = { ...callsOf("/api/v1/tokens/{id}"), fields: editable };

export function TokenDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <ObjectDrawer read={kept.read(id)} nameOf={(token) => token.name} onClose={onClose}>
      {(token, etag) => (
        <>
          <Facts
            facts={[
              [text.columns.role, token.role],
              [text.columns.prefix, token.prefix],
              [text.columns.tenant, token.tenant_id],
              [text.columns.allowed, token.allowed_cidrs.join(", ")],
              [text.columns.used, token.last_used_at && <Moment at={token.last_used_at} />],
              [text.columns.expires, token.expires_at && <Moment at={token.expires_at} />],
              [text.columns.created, <Moment key="c" at={token.created_at} />],
            ]}
          />
          <Acts
            acts={[
              { ...changeOf(kept, token, etag, text.edit), may: "administer" },
              rotationOf(token),
              revocationOf(token, onClose),
            ]}
          />
        </>
      )}
    </ObjectDrawer>
  );
}

function rotationOf(token: Token): Act {
  return {
    id: "rotate",
    title: text.rotate,
    may: "administer",
    form: (close) => <Rotation token={token} onDone={close} />,
  };
}

function Rotation({ token, onDone }: { token: Token; onDone: () => void }) {
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) return <Secret label={text.secret} secret={secret} onDone={onDone} />;
  return (
    <Confirm
      title={text.rotateTitle(token.name)}
      explain={text.rotateExplain}
      call={call("post", "/api/v1/tokens/{id}/rotate", { params: { path: { id: token.id } } })}
      action={text.rotate}
      danger
      onDone={(rotated) => setSecret(rotated.token)}
      onCancel={onDone}
    />
  );
}

function revocationOf(token: Token, onClose: () => void): Act {
  return {
    id: "revoke",
    title: text.revoke,
    may: "administer",
    form: (close) => (
      <Confirm
        title={text.revokeTitle(token.name)}
        explain={text.revokeExplain}
        call={kept.remove(token.id)}
        action={text.revoke}
        danger
        onDone={onClose}
        onCancel={close}
      />
    ),
  };
}
