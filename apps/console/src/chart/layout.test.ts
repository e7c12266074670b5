import { expect, it } from 'vitest'
import { chart, edgeText, isLoop } from './chart.ts'
import { boxes, entryRoute, extent, routes, type Box, type Point } from './layout.ts'

const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

const isWithin = (inner: Box, outer: Box): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height

const isOnBorder = ({ x, y }: Point, box: Box): boolean =>
  isWithin({ x, y, width: 0, height: 0 }, box) &&
  (x === box.x || x === box.x + box.width || y === box.y || y === box.y + box.height)

const states = chart.nodes.filter(({ kind }) => kind !== 'group')

/** What a line or its label may not cover: states, a little smaller so that touching does not count. */
const isFree = (box: Box): boolean =>
  states.every(({ name }) => {
    const { x, y, width, height } = boxes[name]!
    return !overlap(box, { x: x + 1, y: y + 1, width: width - 2, height: height - 2 })
  })

it('has a place for every state of the machine and for nothing else', () => {
  expect(Object.keys(boxes).sort()).toEqual(chart.nodes.map(({ name }) => name).sort())
})

it('has a way for every edge of the machine and for nothing else', () => {
  expect(Object.keys(routes).sort()).toEqual(chart.edges.map(({ key }) => key).sort())
})

it('puts states next to each other, those of a group inside it, and all on the chart', () => {
  for (const { name, parent } of chart.nodes) {
    expect(isWithin(boxes[name]!, { x: 0, y: 0, ...extent }), name).toBe(true)
    for (const other of chart.nodes) {
      if (other.name === name) continue
      if (other.name === parent) expect(isWithin(boxes[name]!, boxes[parent]!), name).toBe(true)
      else if (other.parent !== name)
        expect(overlap(boxes[name]!, boxes[other.name]!), `${name} and ${other.name}`).toBe(false)
    }
  }
})

it('runs the happy path in one straight line', () => {
  const ways = [entryRoute, routes['Available→Inflight']!, routes['Inflight→Committed']!]
  expect(new Set(ways.flatMap(({ points }) => points.map(({ y }) => y))).size).toBe(1)
})

it('leads every edge from the border of one state to that of another, around everything between', () => {
  for (const { key, from, to } of chart.edges) {
    const { points } = routes[key]!
    expect(isOnBorder(points[0]!, boxes[from]!), key).toBe(true)
    expect(isOnBorder(points.at(-1)!, boxes[to]!), key).toBe(true)
    for (let i = 1; i < points.length; i++) {
      const [a, b] = [points[i - 1]!, points[i]!]
      expect(a.x === b.x || Math.abs(a.y - b.y) < 0.1, `${key} runs straight`).toBe(true)
      const segment = {
        x: Math.min(a.x, b.x),
        y: Math.min(a.y, b.y),
        width: Math.abs(a.x - b.x),
        height: Math.abs(a.y - b.y),
      }
      expect(isFree(segment), key).toBe(true)
    }
  }
})

it('places the label of an edge where it covers no state and no other label', () => {
  const words = chart.edges.map((edge) => {
    const { key } = edge
    const { x, y } = routes[key]!.label
    // As wide as its letters, with a rate before them.
    const width = (isLoop(edge) ? 14 : 46) + 6 * edgeText(edge).length
    return { key, box: { x: x - width / 2, y: y - 12, width, height: 24 } }
  })
  for (const { key, box } of words) {
    expect(isFree(box), key).toBe(true)
    for (const other of words)
      if (other.key !== key) expect(overlap(box, other.box), `${key} and ${other.key}`).toBe(false)
  }
})
