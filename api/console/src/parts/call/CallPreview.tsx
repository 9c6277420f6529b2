// What an action sends, before it is sent: as curl, as Python, as a line of `ipam`. No token is in it. Of many calls the
// first hundred are told.
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import type { Call } from "../../api/calls.ts";
import { asCurl, asIpam, asPython } from "../../api/telling.ts";
import { text } from "../../text/frame.ts";
import { Copy } from "./Copy.tsx";

const SHOWN = 100;

export function CallPreview({ call }: { call: Call | readonly Call[] }) {
  const calls = "template" in call ? [call] : call.slice(0, SHOWN);
  const lines = calls.map(asIpam);
  const told = [
    {
      id: "curl",
      title: text.call.curl,
      words: calls.map((each) => asCurl(each, location.origin)).join("\n"),
    },
    { id: "python", title: text.call.python, words: calls.map(asPython).join("\n") },
    { id: "ipam", title: text.call.ipam, words: lines.includes(null) ? null : lines.join("\n") },
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
