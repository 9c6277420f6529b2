// A prefix divided into subnets, as a plan: in a table, and on its map with what stands there already; then made at once.
import { useMemo, useState } from "react";
import { Button, Checkbox } from "react-aria-components";
import { BulkForm, type Operation } from "../../parts/bulk/BulkForm.tsx";
import { Choice } from "../../parts/form/Choice.tsx";
import { Entry } from "../../parts/form/Entry.tsx";
import { PlainTable } from "../../parts/PlainTable.tsx";
import { SpaceMap } from "../../parts/space/SpaceMap.tsx";
import {
  equalLengths,
  freeBlocks,
  gatewayOf,
  lengthsOf,
  placed,
  runsOf,
  usualLengths,
} from "../../pure/division.ts";
import { counted, countText, formatNetwork, type Network, parseNetwork } from "../../pure/space.ts";
import { countsOf } from "../../pure/tiles.ts";
import { text as shared } from "../../text/frame.ts";
import { type Prefix, sizeText } from "./rows.tsx";
import { text } from "./text.ts";
import { useTaken } from "./useTaken.ts";

const words = text.split;
const MOST = 1000; // operations of POST /bulk
const SHOWN = 100; // lines of the table
const AT_FIRST = "4";

type Way = "equal" | "lengths";
type Wish = { way: Way; count: string; length: string; lengths: string };
type Part = { readonly network: Network; readonly name: string; readonly gateway: string | null };

export function Split({ prefix, onDone }: { prefix: Prefix; onDone: () => void }) {
  const whole = useMemo(() => parseNetwork(prefix.cidr), [prefix.cidr]);
  const { data: taken, error } = useTaken(prefix.id);
  return (
    <div className="stack">
      {error && <p className="notice bad">{error.message}</p>}
      {!taken && !error && <p role="status">{shared.loading}</p>}
      {taken && whole && <Planner prefix={prefix} whole={whole} taken={taken} onDone={onDone} />}
      <div className="row">
        <Button onPress={onDone}>{shared.cancel}</Button>
      </div>
    </div>
  );
}

type PlannerProps = { prefix: Prefix; whole: Network; taken: readonly Network[]; onDone: () => void };

function Planner({ prefix, whole, taken, onDone }: PlannerProps) {
  const free = useMemo(() => freeBlocks(whole, taken), [whole, taken]);
  const [wish, setWish] = useState<Wish>(() => ({
    way: "equal",
    count: AT_FIRST,
    length: "",
    lengths: usualLengths(whole),
  }));
  const [naming, setNaming] = useState<Naming>({ name: "", gateway: "", dhcp: true });
  const lengths = useMemo(() => wished(wish, whole, free), [wish, whole, free]);
  const places = useMemo(() => placed(free, lengths ?? []), [free, lengths]);
  const parts = useMemo(() => partsOf(places, naming), [places, naming]);
  const lost = (lengths ?? []).filter((_, at) => places[at] === null);
  const isReady = lost.length === 0 && parts.length > 0;
  const operations = useMemo(
    () => parts.map((part) => creation(prefix.id, part, naming.dhcp)),
    [prefix.id, parts, naming.dhcp],
  );
  return (
    <>
      <WishFields wish={wish} onChange={setWish} whole={whole} free={free} isWrong={lengths === null} />
      {lost.length > 0 && (
        <p role="alert" className="notice bad">
          {words.noRoom(lost.map((length) => `/${length}`).join(", "))}
        </p>
      )}
      <NamingFields naming={naming} onChange={setNaming} />
      <Plan parts={parts} />
      <PlanMap whole={whole} taken={taken} parts={parts} />
      {isReady && (
        <BulkForm
          key={JSON.stringify(operations)}
          operations={operations}
          action={words.make(parts.length)}
          onDone={onDone}
        />
      )}
    </>
  );
}

// The lengths of the parts; null where what is typed is none.
function wished(wish: Wish, whole: Network, free: readonly Network[]): number[] | null {
  if (wish.way === "lengths") {
    const lengths = lengthsOf(wish.lengths, whole);
    return lengths && lengths.length <= MOST ? lengths : null;
  }
  const count = countOf(wish.count);
  const [first] = equalLengths(whole, free, count);
  const length = wish.length === "" ? first : Number(wish.length);
  return length === undefined ? null : Array.from({ length: count }, () => length);
}

// 0 for what is no count of parts.
function countOf(typed: string): number {
  const count = /^\d{1,4}$/.test(typed.trim()) ? Number(typed) : 0;
  return count <= MOST ? count : 0;
}

type WishProps = {
  wish: Wish;
  onChange: (wish: Wish) => void;
  whole: Network;
  free: readonly Network[];
  isWrong: boolean;
};

function WishFields({ wish, onChange, whole, free, isWrong }: WishProps) {
  const ways = Object.entries(words.ways).map(([id, title]) => ({ id, title }));
  return (
    <>
      <Choice
        label={words.way}
        options={ways}
        value={wish.way}
        onChange={(way) => onChange({ ...wish, way: way as Way })}
      />
      {wish.way === "lengths" ? (
        <Entry
          label={words.lengths}
          hint={words.lengthsHint(usualLengths(whole))}
          value={wish.lengths}
          onChange={(lengths) => onChange({ ...wish, lengths })}
          error={isWrong ? words.noLengths(whole.length) : undefined}
          autoComplete="off"
        />
      ) : (
        <>
          <Entry
            label={words.count}
            value={wish.count}
            onChange={(count) => onChange({ ...wish, count, length: "" })}
            error={isWrong ? words.noCount(MOST) : undefined}
            autoComplete="off"
          />
          <Choice
            label={text.fields.length}
            options={sizesOf(whole, equalLengths(whole, free, countOf(wish.count)))}
            value={wish.length}
            onChange={(length) => onChange({ ...wish, length })}
          />
        </>
      )}
    </>
  );
}

// The first, which is taken unless another is chosen, is without an id.
function sizesOf(whole: Network, lengths: readonly number[]) {
  return lengths.map((length, at) => {
    const { count, unit } = counted({ ...whole, length });
    const title = text.fields.lengthOf(length, countText(count), text.units[unit]);
    return { id: at === 0 ? "" : String(length), title };
  });
}

type Naming = { name: string; gateway: "" | "first" | "last"; dhcp: boolean };

function NamingFields({ naming, onChange }: { naming: Naming; onChange: (naming: Naming) => void }) {
  const { gatewayAts } = text.fields;
  return (
    <>
      <Entry
        label={words.name}
        hint={words.nameHint}
        value={naming.name}
        onChange={(name) => onChange({ ...naming, name })}
        autoComplete="off"
      />
      <Choice
        label={text.fields.gatewayAt}
        value={naming.gateway}
        options={[
          { id: "", title: gatewayAts.none },
          { id: "first", title: gatewayAts.first },
          { id: "last", title: gatewayAts.last },
        ]}
        onChange={(gateway) => onChange({ ...naming, gateway: gateway as Naming["gateway"] })}
      />
      <Checkbox className="check" isSelected={naming.dhcp} onChange={(dhcp) => onChange({ ...naming, dhcp })}>
        {text.fields.dhcp}
      </Checkbox>
    </>
  );
}

function partsOf(places: readonly (Network | null)[], { name, gateway }: Naming): Part[] {
  const found = places.flatMap((network) => network ?? []);
  return found.map((network, at) => ({
    network,
    name: name.trim() && `${name.trim()}-${at + 1}`,
    gateway: gateway === "" ? null : gatewayOf(network, gateway),
  }));
}

function creation(prefix_id: string, { network, name, gateway }: Part, dhcp_enabled: boolean): Operation {
  const told = { ...(name && { name }), ...(gateway && { gateway }) };
  return {
    op: "create",
    path: "/subnets",
    body: { prefix_id, cidr: formatNetwork(network), ...told, dhcp_enabled },
  };
}

function Plan({ parts }: { parts: readonly Part[] }) {
  const more = parts.length - SHOWN;
  return (
    <>
      <PlainTable
        label={words.plan}
        rows={parts.slice(0, SHOWN)}
        idOf={({ network }) => formatNetwork(network)}
        empty={words.nothing}
        columns={[
          { title: text.columns.cidr, cell: ({ network }) => formatNetwork(network) },
          { title: text.columns.size, cell: ({ network }) => sizeText(formatNetwork(network)) },
          { title: text.columns.gateway, cell: ({ gateway }) => gateway },
          { title: text.columns.name, cell: ({ name }) => name },
        ]}
      />
      {more > 0 && <p className="quiet">{words.more(more)}</p>}
    </>
  );
}

type MapProps = { whole: Network; taken: readonly Network[]; parts: readonly Part[] };

function PlanMap({ whole, taken, parts }: MapProps) {
  const runs = useMemo(() => {
    const planned = parts.map(({ network }) => network);
    return [
      ...runsOf("subnet", taken),
      ...runsOf("planned", planned),
      ...runsOf("free", freeBlocks(whole, [...taken, ...planned])),
    ];
  }, [whole, taken, parts]);
  const counts = useMemo(() => countsOf(runs), [runs]);
  return <SpaceMap network={whole} runs={runs} blocks={NONE} counts={counts} />;
}
const NONE = [] as const;
