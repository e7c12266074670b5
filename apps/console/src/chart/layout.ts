/** A place on the chart, in px at its natural size. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** A rectangle on the chart. */
export interface Box extends Point {
  readonly width: number
  readonly height: number
}

/** How an edge runs, with right angles only, and the middle of its label. */
export interface Route {
  readonly points: readonly Point[]
  readonly label: Point
}

const [width, height] = [184, 96]
const columns = { ready: 184, middle: 584, final: 976 }
const rows = { first: 44, second: 214, third: 384, fourth: 574 }

const box = (column: keyof typeof columns, row: keyof typeof rows): Box => ({
  x: columns[column],
  y: rows[row],
  width,
  height,
})

/** Where each state is. The happy path is the third row, from left to right. */
export const boxes: Readonly<Record<string, Box>> = {
  Ready: { x: 72, y: 0, width: 320, height: 500 },
  Held: box('ready', 'first'),
  Delayed: box('ready', 'second'),
  Available: box('ready', 'third'),
  WaitingRetry: box('middle', 'second'),
  Inflight: box('middle', 'third'),
  Discarded: box('final', 'first'),
  Committed: box('final', 'third'),
  DLQ: box('final', 'fourth'),
}

/** How large the chart is. */
export const extent = { width: 1_160, height: 670 } as const

/** Where messages come from. */
export const entry: Box = { x: 4, y: 420, width: 24, height: 24 }

type Side = 'left' | 'right' | 'top' | 'bottom'

/** The point of a state's border at a part of a side's length. */
const at = (name: string, side: Side, part = 0.5): Point => {
  const { x, y, width: w, height: h } = boxes[name]!
  if (side === 'left' || side === 'right') return { x: side === 'left' ? x : x + w, y: y + part * h }
  return { x: x + part * w, y: side === 'top' ? y : y + h }
}

/** From one point to another via places along x and y alternately, beginning as `first` says. */
const route = (
  from: Point,
  to: Point,
  label: Point,
  first: 'x' | 'y' = 'x',
  via: readonly number[] = [],
): Route => {
  const points = [from]
  let axis = first
  let last = from
  for (const place of via) {
    last = axis === 'x' ? { x: place, y: last.y } : { x: last.x, y: place }
    points.push(last)
    axis = axis === 'x' ? 'y' : 'x'
  }
  const corner = axis === 'x' ? { x: to.x, y: last.y } : { x: last.x, y: to.y }
  if (corner.x !== to.x || corner.y !== to.y) points.push(corner)
  return { points: [...points, to], label }
}

/** How messages enter the machine: on the line that most of them take to its end. */
export const entryRoute: Route = {
  points: [
    { x: entry.x + entry.width, y: 432 },
    { x: boxes['Available']!.x, y: 432 },
  ],
  label: { x: 36, y: 396 },
}

/** How each edge runs, by `from→to`. */
export const routes: Readonly<Record<string, Route>> = {
  'Ready→Discarded': route(at('Ready', 'right', 0.12), at('Discarded', 'left', 0.1666), { x: 530, y: 60 }),
  'Held→Discarded': route(at('Held', 'right'), at('Discarded', 'left'), { x: 750, y: 92 }),
  'Held→Delayed': route(at('Held', 'bottom'), at('Delayed', 'top'), { x: 276, y: 177 }, 'y'),
  'Held→Available': route(at('Held', 'left'), at('Available', 'left', 0.3), { x: 146, y: 177 }, 'x', [90]),
  'Delayed→Available': route(at('Delayed', 'bottom'), at('Available', 'top'), { x: 276, y: 347 }, 'y'),
  'Delayed→Delayed': route(
    at('Delayed', 'left', 0.25),
    at('Delayed', 'left', 0.75),
    { x: 140, y: 262 },
    'x',
    [146, at('Delayed', 'left', 0.75).y],
  ),
  'Delayed→Discarded': route(
    at('Delayed', 'right', 0.3),
    at('Discarded', 'left', 0.8333),
    { x: 530, y: 124 },
    'x',
    [432, at('Discarded', 'left', 0.8333).y],
  ),
  'Available→Inflight': route(at('Available', 'right'), at('Inflight', 'left'), { x: 466, y: 432 }),
  'Available→Discarded': route(
    at('Available', 'right', 0.1),
    at('Discarded', 'bottom', 0.2),
    { x: 620, y: 172 },
    'x',
    [464, 172],
  ),
  'Available→Committed': route(
    at('Available', 'bottom', 0.45),
    at('Committed', 'bottom'),
    { x: 850, y: 536 },
    'y',
    [536],
  ),
  'Available→DLQ': route(at('Available', 'bottom', 0.25), at('DLQ', 'left', 0.7), { x: 500, y: 641.2 }, 'y'),
  'Inflight→Inflight': route(
    at('Inflight', 'top', 0.62),
    at('Inflight', 'top', 0.9),
    { x: 724, y: 363 },
    'y',
    [363, at('Inflight', 'top', 0.9).x],
  ),
  'Inflight→WaitingRetry': route(
    at('Inflight', 'top', 0.22),
    at('WaitingRetry', 'bottom', 0.22),
    { x: 618, y: 329 },
    'y',
  ),
  'Inflight→Available': route(
    at('Inflight', 'bottom', 0.25),
    at('Available', 'bottom', 0.65),
    { x: 480, y: 508 },
    'y',
    [508],
  ),
  'Inflight→Committed': route(at('Inflight', 'right'), at('Committed', 'left'), { x: 872, y: 432 }),
  'Inflight→DLQ': route(at('Inflight', 'bottom', 0.75), at('DLQ', 'left', 0.3), { x: 844, y: 602.8 }, 'y'),
  'Inflight→Discarded': route(
    at('Inflight', 'right', 0.16),
    at('Discarded', 'bottom', 0.85),
    { x: 912, y: 340 },
    'x',
    [806, 340],
  ),
  'WaitingRetry→Available': route(
    at('WaitingRetry', 'left'),
    at('Available', 'right', 0.28),
    { x: 520, y: 296 },
    'x',
    [520, at('Available', 'right', 0.28).y],
  ),
  'WaitingRetry→Committed': route(at('WaitingRetry', 'right', 0.72), at('Committed', 'top', 0.25), {
    x: 880,
    y: 283.12,
  }),
  'WaitingRetry→Discarded': route(at('WaitingRetry', 'right', 0.28), at('Discarded', 'bottom', 0.52), {
    x: 880,
    y: 240.88,
  }),
}
