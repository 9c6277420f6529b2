// One prefix: how full it is, its map, and what can be done with it. Which form is open stands in the URL, as `act`.
import { useNavigate } from "@tanstack/react-router";
import { Button } from "react-aria-components";
import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import { Drawer } from "../../parts/Drawer.tsx";
import { Deletion } from "../../parts/deletion/Deletion.tsx";
import { Facts } from "../../parts/Facts.tsx";
import { CreateForm } from "../../parts/fields/CreateForm.tsx";
import { EditForm } from "../../parts/fields/EditForm.tsx";
import { Meter } from "../../parts/space/Meter.tsx";
import { useMay } from "../../parts/useSession.ts";
import { useUrl } from "../../parts/useUrl.ts";
import type { Body } from "../../pure/fields.ts";
import { parseNetwork } from "../../pure/space.ts";
import { lengthAsNumber, nextFields, prefixFields, subnetFields, usualLength } from "./fields.ts";
import { PrefixMap } from "./PrefixMap.tsx";
import { freeText, type Prefix, sizeText } from "./rows.tsx";
import { Split } from "./Split.tsx";
import { text } from "./text.ts";

const ACTS = ["next", "subnet", "split", "edit", "delete"] as const;
type Act = (typeof ACTS)[number];
const TITLES: Record<Act, string> = {
  next: text.nextSubnet,
  subnet: text.newSubnet,
  split: text.split.title,
  edit: text.edit,
  delete: text.remove,
};

export function PrefixDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const read = call("get", "/api/v1/prefixes/{id}", { params: { path: { id } } });
  const { data, error } = useAsk(read, { retry: false });
  const [words, change] = useUrl();
  const mayWrite = useMay("write");
  const prefix = data?.data;
  const act = mayWrite ? ACTS.find((each) => each === words.act) : undefined;
  const done = () => change({ act: undefined });
  if (prefix && act === "delete") {
    const remove = call("delete", "/api/v1/prefixes/{id}", { params: { path: { id } } });
    return <Deletion what={prefix.cidr} call={remove} onDone={onClose} onCancel={done} />;
  }
  return (
    <Drawer title={prefix?.cidr ?? text.title} onClose={onClose}>
      {error && <p className="notice bad">{error.message}</p>}
      {prefix && act && <ActForm act={act} prefix={prefix} etag={data?.etag ?? null} onDone={done} />}
      {prefix && !act && (
        <div className="stack">
          <PrefixFacts prefix={prefix} />
          {mayWrite && (
            <div className="row">
              {ACTS.map((each) => (
                <Button key={each} onPress={() => change({ act: each })}>
                  {TITLES[each]}
                </Button>
              ))}
            </div>
          )}
          <h3>{text.map}</h3>
          <PrefixMap id={id} />
        </div>
      )}
    </Drawer>
  );
}

function PrefixFacts({ prefix }: { prefix: Prefix }) {
  const params = { path: { id: prefix.id } };
  const use = useAsk(call("get", "/api/v1/prefixes/{id}/utilisation", { params })).data?.data;
  return (
    <Facts
      facts={[
        [text.columns.size, sizeText(prefix.cidr)],
        [text.subnets, use?.subnets],
        [text.share, use && <Meter key="m" share={use.utilisation} />],
        [text.columns.free, use && freeText(prefix.cidr, 1 - use.utilisation)],
        [text.columns.description, prefix.description],
        [text.columns.tags, prefix.tags.join(", ")],
      ]}
    />
  );
}

type FormProps = { act: Act; prefix: Prefix; etag: string | null; onDone: () => void };

function ActForm({ act, prefix, etag, onDone }: FormProps) {
  if (act === "next") return <NextSubnet prefix={prefix} onDone={onDone} />;
  if (act === "subnet") return <NewSubnet prefix={prefix} onDone={onDone} />;
  if (act === "split") return <Split prefix={prefix} onDone={onDone} />;
  const params = { path: { id: prefix.id } };
  return (
    <EditForm
      fields={prefixFields}
      object={prefix as Body}
      etag={etag}
      read={call("get", "/api/v1/prefixes/{id}", { params })}
      callOf={(body, header) =>
        call("patch", "/api/v1/prefixes/{id}", { params: { ...params, header }, body: body as never })
      }
      action={text.save}
      onDone={onDone}
      onCancel={onDone}
    />
  );
}

function NextSubnet({ prefix, onDone }: { prefix: Prefix; onDone: () => void }) {
  const navigate = useNavigate();
  const network = parseNetwork(prefix.cidr);
  if (network === null) return null;
  const params = { path: { prefix_id: prefix.id } };
  return (
    <CreateForm
      fields={nextFields(network)}
      start={{ prefix_length: usualLength(network), dhcp_enabled: "true" }}
      callOf={(body) =>
        call("post", "/api/v1/prefixes/{prefix_id}/next-subnet", {
          params,
          body: lengthAsNumber(body) as never,
        })
      }
      action={text.create}
      onDone={(made) => void navigate({ to: `/subnets/${made.id}` as never })}
      onCancel={onDone}
    />
  );
}

function NewSubnet({ prefix, onDone }: { prefix: Prefix; onDone: () => void }) {
  const navigate = useNavigate();
  return (
    <CreateForm
      fields={subnetFields}
      start={{ dhcp_enabled: "true" }}
      more={{ prefix_id: prefix.id }}
      callOf={(body) => call("post", "/api/v1/subnets", { body: body as never })}
      action={text.create}
      onDone={(made) => void navigate({ to: `/subnets/${made.id}` as never })}
      onCancel={onDone}
    />
  );
}
