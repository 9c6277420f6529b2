// One subnet, in tabs. The URL names the open tab.
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { Button, Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import type { Subnet as SubnetObject } from "../../api/types.ts";
import { Collection } from "../../parts/collection/Collection.tsx";
import { Deletion } from "../../parts/deletion/Deletion.tsx";
import { Facts } from "../../parts/Facts.tsx";
import { Moment } from "../../parts/Moment.tsx";
import { OptionCollection } from "../../parts/options/OptionCollection.tsx";
import { Meter } from "../../parts/space/Meter.tsx";
import { useMay } from "../../parts/useSession.ts";
import { usePathId, useUrl } from "../../parts/useUrl.ts";
import { countText } from "../../pure/space.ts";
import { assignmentsOf, excludesOf, poolsOf, reservationsOf } from "./families.tsx";
import { History } from "./History.tsx";
import { subnetOf } from "./reads.ts";
import { Settings } from "./Settings.tsx";
import { SubnetMap } from "./SubnetMap.tsx";
import { text } from "./text.ts";

const TABS = Object.keys(text.tabs) as (keyof typeof text.tabs)[];
const GONE = { open: undefined, q: undefined, at: undefined, steps: undefined };

export default function Subnet() {
  const id = usePathId();
  const { data, error } = useAsk(subnetOf(id), { retry: false });
  const [words, change] = useUrl();
  const tab = TABS.find((each) => each === words.tab) ?? "map";
  const subnet = data?.data;
  if (error) return <p className="notice bad">{error.message}</p>;
  if (subnet === undefined) return null;
  return (
    <div className="stack">
      <Head subnet={subnet} />
      <Tabs selectedKey={tab} onSelectionChange={(key) => change({ ...GONE, tab: String(key) })}>
        <TabList aria-label={text.title}>
          {TABS.map((each) => (
            <Tab key={each} id={each}>
              {text.tabs[each]}
            </Tab>
          ))}
        </TabList>
        <TabPanel key={tab} id={tab}>
          <Inner tab={tab} subnet={subnet} etag={data?.etag ?? null} />
        </TabPanel>
      </Tabs>
    </div>
  );
}

function Head({ subnet }: { subnet: SubnetObject }) {
  const { id } = subnet;
  const { data } = useAsk(call("get", "/api/v1/subnets/{id}/utilisation", { params: { path: { id } } }));
  const [deleting, setDeleting] = useState(false);
  const navigate = useNavigate();
  const mayWrite = useMay("write");
  const use = data?.data;
  return (
    <>
      <div className="row">
        <h1>{[subnet.cidr, subnet.name].filter(Boolean).join(" ")}</h1>
        <Link to={"/leases" as never} search={{ subnet_id: id } as never}>
          {text.leases}
        </Link>
        {mayWrite && <Button onPress={() => setDeleting(true)}>{text.remove}</Button>}
      </div>
      <Facts
        facts={[
          [text.facts.gateway, subnet.gateway],
          [text.facts.used, use && <Meter key="m" share={use.utilisation} />],
          [text.facts.free, use && countText(BigInt(use.free_exact))],
          [text.facts.counted, use?.as_of && <Moment key="c" at={use.as_of} />],
        ]}
      />
      {deleting && (
        <Deletion
          what={subnet.cidr}
          call={call("delete", "/api/v1/subnets/{id}", { params: { path: { id } } })}
          onDone={() => void navigate({ to: "/prefixes" as never })}
          onCancel={() => setDeleting(false)}
        />
      )}
    </>
  );
}

type InnerProps = { tab: keyof typeof text.tabs; subnet: SubnetObject; etag: string | null };

function Inner({ tab, subnet, etag }: InnerProps): ReactNode {
  const { id } = subnet;
  const families = useMemo(
    () => ({
      pools: poolsOf(id),
      excludes: excludesOf(id),
      reservations: reservationsOf(id),
      assignments: assignmentsOf(id),
    }),
    [id],
  );
  switch (tab) {
    case "map":
      return <SubnetMap id={id} />;
    case "pools":
      return <Collection family={families.pools} />;
    case "excludes":
      return <Collection family={families.excludes} />;
    case "reservations":
      return <Collection family={families.reservations} />;
    case "assignments":
      return <Collection family={families.assignments} />;
    case "options":
      return <OptionCollection scope={{ kind: "subnet", id }} family={subnet.cidr.includes(":") ? 6 : 4} />;
    case "history":
      return <History id={id} />;
    case "settings":
      return <Settings subnet={subnet} etag={etag} />;
  }
}
