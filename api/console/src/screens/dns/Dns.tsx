// DNS zones, DNS servers that receive updates, and the queue of updates.
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { useUrl } from "../../parts/useUrl.ts";
import { Servers } from "./Servers.tsx";
import { text } from "./text.ts";
import { Updates } from "./Updates.tsx";
import { Zones } from "./Zones.tsx";

const PAGES = { zones: Zones, servers: Servers, updates: Updates };

export default function Dns() {
  const [words, change] = useUrl();
  return (
    <>
      <h1>{text.title}</h1>
      <Tabs
        selectedKey={words.tab ?? "zones"}
        onSelectionChange={(tab) => {
          if (tab !== (words.tab ?? "zones")) change({ tab: String(tab) });
        }}
      >
        <TabList aria-label={text.title}>
          {Object.entries(text.tabs).map(([id, title]) => (
            <Tab key={id} id={id}>
              {title}
            </Tab>
          ))}
        </TabList>
        {Object.entries(PAGES).map(([id, Page]) => (
          <TabPanel key={id} id={id} className="react-aria-TabPanel table">
            <Page />
          </TabPanel>
        ))}
      </Tabs>
    </>
  );
}
