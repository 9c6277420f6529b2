import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "react-aria-components";
import { send, useAsk } from "../../api/ask.ts";
import { type Call, call } from "../../api/calls.ts";
import { Problem } from "../../api/problem.ts";
import { Meter } from "../../parts/Meter.tsx";
import { PlainTable } from "../../parts/PlainTable.tsx";
import { save } from "../../parts/save.ts";
import { text } from "./text.ts";

const WHOLE = call("get", "/api/v1/openapi.json");
const PLAN = call("get", "/api/v1/openapi-ipam.json");

export function Service() {
  const { data, error } = useAsk(call("get", "/api/v1/dashboard"));
  const board = data?.data;
  return (
    <section className="panel stack">
      <h2>{text.service}</h2>
      {error && <p className="notice bad">{error.message}</p>}
      {board && (
        <>
          <h3>{text.cap}</h3>
          <Meter
            label={text.cap}
            part={board.managed_ips_limit === 0 ? 0 : board.managed_ips}
            of={board.managed_ips_limit}
            says={text.ofCap(board.managed_ips, board.managed_ips_limit)}
          />
          <p className="quiet">{text.capExplain}</p>
          <Link to={"/options" as never} search={{ scope: "global" } as never}>
            {text.globalOptions}
          </Link>
          <h3>{text.versions}</h3>
          <PlainTable
            label={text.versions}
            rows={board.nodes}
            idOf={(node) => node.id}
            empty={text.noVersions}
            columns={[
              { title: text.version.name, cell: (node) => node.name },
              { title: text.version.role, cell: (node) => node.role },
              { title: text.version.version, cell: (node) => node.version },
            ]}
          />
        </>
      )}
      <Documents />
    </section>
  );
}

// /docs carries the document itself; to save it takes the token, which a link would not send.
function Documents() {
  return (
    <>
      <h3>{text.documents}</h3>
      <div className="row">
        <a href="/docs/guide/" target="_blank" rel="noreferrer">
          {text.guides}
        </a>
        <a href="/docs" target="_blank" rel="noreferrer">
          {text.page}
        </a>
      </div>
      <div className="row">
        <SaveButton title={text.whole} read={WHOLE} name="openapi.json" />
        <SaveButton title={text.plan} read={PLAN} name="openapi-ipam.json" />
      </div>
    </>
  );
}

function SaveButton({ title, read, name }: { title: string; read: Call<unknown>; name: string }) {
  const [problem, setProblem] = useState("");
  async function load() {
    try {
      setProblem("");
      save(name, `${JSON.stringify((await send(read)).data, null, 2)}\n`);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error.message);
    }
  }
  return (
    <>
      <Button onPress={() => void load()}>{title}</Button>
      {problem && <span role="alert">{problem}</span>}
    </>
  );
}
