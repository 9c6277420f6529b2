// What an action sends, before it is sent: as curl, as Python, as a line of `ipam`. No token is in it.
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import type { Call } from "../../api/calls.ts";
import { asCurl, asIpam, asPython } from "../../api/telling.ts";
import { text } from "../../text/frame.ts";
import { Copy } from "./Copy.tsx";

export function CallPreview({ call }: { call: Call }) {
  const told = [
    { id: "curl", title: text.call.curl, words: asCurl(call, location.origin) },
    { id: "python", title: text.call.python, words: asPython(call) },
    { id: "ipam", title: text.call.ipam, words: asIpam(call) },
  ];
  return (
    <details className="call">
      <summary>{text.call.title}</summary>
      <p className="quiet">{text.call.explain}</p>
      <Tabs>
        <TabList aria-label={text.call.title}>
          {told.map(({ id, title }) => (
            <Tab key={id} id={id}>
              {title}
            </Tab>
          ))}
        </TabList>
        {told.map(({ id, words }) => (
          <TabPanel key={id} id={id}>
            {words === null ? (
              <p>{text.call.noIpam}</p>
            ) : (
              <>
                <pre>{words}</pre>
                <Copy of={words} />
              </>
            )}
          </TabPanel>
        ))}
      </Tabs>
    </details>
  );
}
