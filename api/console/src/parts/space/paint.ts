// Draws tiles: each kind has a colour and a shape of its own, so that none is told by colour alone.
import { type Grid, type Tile, tileAt } from "../../pure/tiles.ts";

type Paint = CanvasRenderingContext2D;
type Shape = "empty" | "line" | "full" | "notch" | "half" | "cross" | "dot";

const LOOKS: Record<string, readonly [colour: string, shape: Shape]> = {
  free: ["--line", "empty"],
  pool: ["--good", "line"],
  lease: ["--accent", "full"],
  reservation: ["--accent", "notch"],
  assignment: ["--good", "half"],
  exclude: ["--quiet", "cross"],
  gateway: ["--warn", "dot"],
  network: ["--quiet", "dot"],
  broadcast: ["--quiet", "dot"],
  quarantine: ["--bad", "cross"],
  subnet: ["--accent", "full"],
  planned: ["--good", "notch"],
  used: ["--accent", "full"],
};
const LEAST = 5; // pixels of a tile in which shapes can be told apart

export function paintGrid(canvas: HTMLCanvasElement, grid: Grid, width: number): void {
  const rows = Math.ceil(grid.count / grid.columns);
  const ratio = devicePixelRatio || 1;
  const side = Math.max(1, Math.min(32, width / grid.columns));
  canvas.width = Math.round(side * grid.columns * ratio);
  canvas.height = Math.round(side * rows * ratio);
  canvas.style.width = `${side * grid.columns}px`;
  const paint = canvas.getContext("2d");
  if (paint === null) return;
  paint.scale(ratio, ratio);
  const colours = coloursOf(canvas);
  for (let index = 0; index < grid.count; ) {
    const tile = tileAt(grid, index);
    const count = side < LEAST ? alike(grid, index) : 1;
    const left = (index % grid.columns) * side;
    const top = Math.floor(index / grid.columns) * side;
    paintTile(paint, tile, left, top, side, colours, count);
    index += count;
  }
}

// How many tiles of a row from here on look the same: tens of thousands are drawn at once then, not one by one.
function alike({ kinds, shares, count, columns }: Grid, index: number): number {
  const end = Math.min(count, (Math.floor(index / columns) + 1) * columns);
  let next = index + 1;
  while (next < end && kinds[next] === kinds[index] && shares[next] === shares[index]) next++;
  return next - index;
}

export function paintKey(canvas: HTMLCanvasElement, kind: string): void {
  const paint = canvas.getContext("2d");
  if (paint === null) return;
  paint.clearRect(0, 0, canvas.width, canvas.height);
  paintTile(paint, { kind, share: 1 }, 0, 0, canvas.width, coloursOf(canvas));
}

// The style sheet's colours for the scheme in use: a canvas does not understand light-dark().
function coloursOf(canvas: HTMLCanvasElement): (name: string) => string {
  const probe = document.createElement("span");
  canvas.after(probe);
  const names = new Set(Object.values(LOOKS).map(([colour]) => colour));
  const found = new Map([...names].map((name) => [name, colourOf(probe, name)]));
  probe.remove();
  return (name) => found.get(name) ?? "gray";
}

function colourOf(probe: HTMLElement, name: string): string {
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

function paintTile(
  paint: Paint,
  tile: Tile,
  left: number,
  top: number,
  side: number,
  colours: (name: string) => string,
  count = 1, // of tiles without shapes: how many stand side by side
) {
  const [colour, shape] = LOOKS[tile.kind] ?? ["--accent", "full"];
  const inner = side >= LEAST ? side - 1 : side;
  paint.fillStyle = colours(colour);
  paint.strokeStyle = paint.fillStyle;
  if (side < LEAST) {
    paint.globalAlpha =
      shape === "empty" ? 0.25 : shape === "line" ? 0.5 : Math.max(0.35, Math.min(1, tile.share));
    paint.fillRect(left, top, inner * count, inner);
    paint.globalAlpha = 1;
    return;
  }
  paint.strokeRect(left + 0.5, top + 0.5, inner - 1, inner - 1);
  SHAPES[shape](paint, left, top, inner, Math.max(0.15, Math.min(1, tile.share)));
}

const SHAPES: Record<Shape, (paint: Paint, left: number, top: number, side: number, share: number) => void> =
  {
    empty: () => undefined,
    line: (paint, left, top, side) => paint.fillRect(left, top + side * 0.75, side, side * 0.25),
    full: (paint, left, top, side, share) =>
      paint.fillRect(left, top + side * (1 - share), side, side * share),
    notch: (paint, left, top, side) => {
      paint.fillRect(left, top, side, side);
      paint.clearRect(left + side * 0.3, top + side * 0.3, side * 0.4, side * 0.4);
    },
    half: (paint, left, top, side) => paint.fillRect(left, top, side / 2, side),
    cross: (paint, left, top, side) => {
      paint.beginPath();
      paint.moveTo(left + 1, top + 1);
      paint.lineTo(left + side - 1, top + side - 1);
      paint.moveTo(left + side - 1, top + 1);
      paint.lineTo(left + 1, top + side - 1);
      paint.stroke();
    },
    dot: (paint, left, top, side) =>
      paint.fillRect(left + side * 0.3, top + side * 0.3, side * 0.4, side * 0.4),
  };
