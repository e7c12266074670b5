import type { Point } from './layout.ts'

/** How far from a corner a line begins to turn, in px. */
const turnPx = 12
/** How long the head of an arrow is, in px. */
const headPx = 8

const lengthOf = (a: Point, b: Point): number => Math.hypot(b.x - a.x, b.y - a.y)

/** The point at a distance from `a` on the way to `b`, in px. */
const toward = (a: Point, b: Point, px: number): Point => {
  const part = px / lengthOf(a, b)
  return { x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part }
}

const text = ({ x, y }: Point): string => `${Number(x.toFixed(1))} ${Number(y.toFixed(1))}`

/** A line through points with rounded corners, in SVG syntax; it ends where the head of its arrow begins. */
export const pathOf = (points: readonly Point[]): string => {
  const [last, before] = [points.at(-1)!, points.at(-2)!]
  const line = [...points.slice(0, -1), toward(last, before, headPx - 1)]
  const corners = line.slice(1, -1).map((corner, i) => {
    const turn = Math.min(turnPx, lengthOf(line[i]!, corner) / 2, lengthOf(corner, line[i + 2]!) / 2)
    return `L${text(toward(corner, line[i]!, turn))}Q${text(corner)} ${text(toward(corner, line[i + 2]!, turn))}`
  })
  return `M${text(line[0]!)}${corners.join('')}L${text(line.at(-1)!)}`
}

/** The arrow head at the end of a line of this thickness, in px, in SVG syntax. */
export const headOf = (points: readonly Point[], thickness: number): string => {
  const [tip, before] = [points.at(-1)!, points.at(-2)!]
  const back = toward(tip, before, headPx)
  const half = (headPx / 2 + Math.max(0, thickness - 1.5)) / headPx
  const [dx, dy] = [(tip.x - back.x) * half, (tip.y - back.y) * half]
  return `M${text(tip)}L${text({ x: back.x - dy, y: back.y + dx })}L${text({ x: back.x + dy, y: back.y - dx })}Z`
}

/** How long a line through points is, in px. */
export const pathLength = (points: readonly Point[]): number =>
  points.slice(1).reduce((sum, point, i) => sum + lengthOf(points[i]!, point), 0)

/** The point that far along a line, in px. */
export const pointAlong = (points: readonly Point[], px: number): Point => {
  let rest = px
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1]!, points[i]!]
    const length = lengthOf(a, b)
    if (rest <= length) return toward(a, b, rest)
    rest -= length
  }
  return points.at(-1)!
}
