// How full the subnet, or a pool of it, was: a line, and the same in numbers.
import { useEffect, useMemo, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useAsk } from "../../api/ask.ts";
import { call } from "../../api/calls.ts";
import type { components } from "../../api/schema";
import { Choice } from "../../parts/form/Choice.tsx";
import { Moment } from "../../parts/Moment.tsx";
import { percent } from "../../parts/space/Meter.tsx";
import { useUrl } from "../../parts/useUrl.ts";
import { text } from "./text.ts";
import "./subnets.css";

type Point = components["schemas"]["UsagePoint"];
const DAY_MS = 86_400_000;
const RANGES = { day: DAY_MS, week: 7 * DAY_MS, month: 31 * DAY_MS, year: 366 * DAY_MS } as const;
const ROUND_MS = 300_000; // a period of the history
const TOLD = 50; // periods in the table

export function History({ id }: { id: string }) {
  const [words, change] = useUrl();
  const range = (words.range ?? "week") as keyof typeof RANGES;
  const since = useMemo(() => moment(RANGES[range] ?? RANGES.week), [range]);
  const { data, error } = useAsk(historyOf(id, words.pool, since));
  const points = data?.data.items ?? [];
  return (
    <div className="stack">
      <div className="filters">
        <Choice
          label={text.history.range}
          value={range}
          options={Object.entries(text.history.ranges).map(([key, title]) => ({ id: key, title }))}
          onChange={(chosen) => change({ range: chosen })}
        />
        <PoolChoice id={id} value={words.pool ?? ""} onChange={(pool) => change({ pool })} />
      </div>
      {error && <p className="notice bad">{error.message}</p>}
      {data && points.length === 0 && <p>{text.history.none}</p>}
      {points.length > 0 && <Plot points={points} />}
      {points.length > 0 && <Numbers points={points.slice(-TOLD)} />}
    </div>
  );
}

function moment(ago: number): string {
  return new Date(Math.floor((Date.now() - ago) / ROUND_MS) * ROUND_MS).toISOString();
}

function historyOf(id: string, pool: string | undefined, since: string) {
  const query = { since };
  return pool
    ? call("get", "/api/v1/pools/{id}/utilisation/history", { params: { path: { id: pool }, query } })
    : call("get", "/api/v1/subnets/{id}/utilisation/history", { params: { path: { id }, query } });
}

type PoolProps = { id: string; value: string; onChange: (pool: string) => void };

function PoolChoice({ id, value, onChange }: PoolProps) {
  const { data } = useAsk(call("get", "/api/v1/pools", { params: { query: { subnet_id: id, limit: 200 } } }));
  const pools = (data?.data.items ?? []).map((pool) => ({
    id: pool.id,
    title: pool.name || (pool.prefix ?? `${pool.start_ip} – ${pool.end_ip}`),
  }));
  return (
    <Choice
      label={text.history.pool}
      value={value}
      options={[{ id: "", title: text.history.whole }, ...pools]}
      onChange={onChange}
    />
  );
}

const HEIGHT = 260;

function Plot({ points }: { points: readonly Point[] }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const frame = ref.current;
    if (frame === null) return;
    const plot = new uPlot(optionsOf(frame), columnsOf(points), frame);
    const observer = new ResizeObserver(() => plot.setSize({ width: frame.clientWidth, height: HEIGHT }));
    observer.observe(frame);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [points]);
  return <div ref={ref} className="subnets-plot" role="img" aria-label={text.history.title} />;
}

function columnsOf(points: readonly Point[]): uPlot.AlignedData {
  return [
    points.map(({ at }) => Date.parse(at) / 1000),
    points.map(({ utilisation }) => utilisation * 100),
    points.map(({ peak_utilisation }) => peak_utilisation * 100),
  ];
}

// Colours come from the style sheet, as the element has them.
function optionsOf(frame: HTMLElement): uPlot.Options {
  const { color } = getComputedStyle(frame);
  const axis = { stroke: color, grid: { stroke: color, width: 0.2 } };
  return {
    width: frame.clientWidth,
    height: HEIGHT,
    scales: { y: { range: (_, __, most) => [0, Math.max(10, Math.min(100, most * 1.1))] } },
    axes: [axis, { ...axis, values: (_, ticks) => ticks.map((tick) => `${tick} %`) }],
    series: [
      { label: text.history.range },
      { label: text.history.end, stroke: color, width: 2 },
      { label: text.history.peak, stroke: color, width: 1, dash: [4, 4] },
    ],
  };
}

function Numbers({ points }: { points: readonly Point[] }) {
  return (
    <details>
      <summary>{text.history.table}</summary>
      <table className="subnets-history">
        <thead>
          <tr>
            <th scope="col">{text.history.at}</th>
            <th scope="col">{text.history.end}</th>
            <th scope="col">{text.history.peak}</th>
          </tr>
        </thead>
        <tbody>
          {points.map((point) => (
            <tr key={point.at}>
              <td>
                <Moment at={point.at} inRow />
              </td>
              <td>{percent(point.utilisation)}</td>
              <td>{percent(point.peak_utilisation)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
