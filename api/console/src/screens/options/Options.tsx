// DHCP options: the stored options of each scope, the options that a client gets and why, and own
// definitions.
import { useMemo } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { Collection } from "../../parts/collection/Collection.tsx";
import { useTenant } from "../../parts/useSession.ts";
import { useUrl } from "../../parts/useUrl.ts";
import { definitionsOf } from "./definitions.ts";
import { Effective } from "./Effective.tsx";
import { Stored } from "./Stored.tsx";
import { text } from "./text.ts";

const TABS = Object.keys(text.tabs) as (keyof typeof text.tabs)[];

export default function Options() {
  const [words, change] = useUrl();
  const tab = TABS.find((each) => each === words.tab) ?? "stored";
  return (
    <div className="stack">
      <h1>{text.title}</h1>
      <Tabs
        selectedKey={tab}
        onSelectionChange={(key) => change({ tab: String(key), open: undefined, q: undefined })}
      >
        <TabList aria-label={text.title}>
          {TABS.map((each) => (
            <Tab key={each} id={each}>
              {text.tabs[each]}
            </Tab>
          ))}
        </TabList>
        <TabPanel key={tab} id={tab}>
          {tab === "stored" && <Stored />}
          {tab === "effective" && <Effective />}
          {tab === "definitions" && <Definitions />}
        </TabPanel>
      </Tabs>
    </div>
  );
}

function Definitions() {
  const { tenant_id } = useTenant();
  const family = useMemo(() => definitionsOf(tenant_id), [tenant_id]);
  return <Collection family={family} />;
}
