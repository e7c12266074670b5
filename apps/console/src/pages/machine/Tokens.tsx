import { Panel, ViewportPortal } from '@xyflow/react'
import { useEffect, useRef, useState } from 'react'
import { stateColour, type StateName } from '../../parts/StateMark.tsx'
import { count } from '../../parts/format.ts'
import { chart, isLoop, isState } from '../../chart/chart.ts'
import { entryRoute, extent, routes, type Point } from '../../chart/layout.ts'
import styles from './Tokens.module.css'
import { pathLength, pointAlong } from '../../chart/path.ts'
import { edgeRate, isNew, rateOf, type Standing } from './Standing.ts'
import { useStandingStore } from './StandingStore.ts'
import { messagesPerToken, TokenFlow, type TokenWay } from './TokenFlow.ts'

/** The longest step that tokens make at once, in s: after a break they continue where they were. */
const stepMaxS = 0.1
const radiusPx = 4

interface Track {
  readonly key: string
  readonly points: readonly Point[]
  readonly lengthPx: number
  readonly state: StateName
  readonly rate: (standing: Standing) => number
}

const tracks: readonly Track[] = [
  ...chart.edges
    .filter((edge) => !isLoop(edge))
    .flatMap((edge) => {
      const { points } = routes[edge.key]!
      const rate = ({ flow }: Standing): number => edgeRate(flow, edge)
      return isState(edge.to)
        ? [{ key: edge.key, points, lengthPx: pathLength(points), state: edge.to, rate }]
        : []
    }),
  {
    key: 'New→Ready',
    points: entryRoute.points,
    lengthPx: pathLength(entryRoute.points),
    state: 'Available',
    rate: ({ flow }) => rateOf(flow, isNew),
  },
]

const trackOf = new Map(tracks.map((track) => [track.key, track]))

/** The current colours of the states, in canvas syntax. */
const readColours = (probe: HTMLElement): Map<StateName, string> =>
  new Map(
    tracks.map(({ state }) => {
      probe.style.color = stateColour(state)
      return [state, getComputedStyle(probe).color]
    }),
  )

const TokenCanvas = ({ onScale }: { readonly onScale: (messages: number) => void }) => {
  const store = useStandingStore()
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const element = canvas.current!
    const context = element.getContext('2d')!
    const scale = Math.min(2, devicePixelRatio)
    element.width = extent.width * scale
    element.height = extent.height * scale
    const tokens = new TokenFlow()
    let [ways, each, colours]: [TokenWay[], number, Map<StateName, string>] = [[], 1, new Map()]
    let [frame, last, flow] = [0, 0, undefined as unknown]
    const draw = (now: number): void => {
      tokens.step(Math.min(stepMaxS, (now - last) / 1_000), ways, each)
      last = now
      context.setTransform(scale, 0, 0, scale, 0, 0)
      context.clearRect(0, 0, extent.width, extent.height)
      for (const { key, px } of tokens.tokens) {
        const { points, state } = trackOf.get(key)!
        const { x, y } = pointAlong(points, px)
        context.fillStyle = colours.get(state)!
        context.beginPath()
        context.arc(x, y, radiusPx, 0, 2 * Math.PI)
        context.fill()
      }
      const isQuiet = tokens.tokens.length === 0 && ways.every(({ perSecond }) => perSecond === 0)
      frame = isQuiet ? 0 : requestAnimationFrame(draw)
    }
    const change = (): void => {
      const standing = store.get()
      if (standing.flow === flow) return
      flow = standing.flow
      ways = tracks.map(({ key, lengthPx, rate }) => ({ key, lengthPx, perSecond: rate(standing) }))
      each = messagesPerToken(ways, each)
      colours = readColours(element)
      onScale(each)
      if (frame !== 0 || ways.every(({ perSecond }) => perSecond === 0)) return
      last = performance.now()
      frame = requestAnimationFrame(draw)
    }
    change()
    const stop = store.subscribe(change)
    return () => {
      stop()
      cancelAnimationFrame(frame)
    }
  }, [store, onScale])
  return <canvas ref={canvas} className={styles['canvas']} style={extent} aria-hidden="true" />
}

/** Small tokens that travel along the edges in proportion to their rates; each represents some messages. */
export const Tokens = () => {
  const [messages, setMessages] = useState(1)
  return (
    <>
      <ViewportPortal>
        <TokenCanvas onScale={setMessages} />
      </ViewportPortal>
      <Panel position="bottom-left" className={styles['scale']!} data-messages-per-token={messages}>
        <span aria-hidden="true" /> one token is{' '}
        {messages === 1 ? '1 message' : `${count(messages)} messages`}
      </Panel>
    </>
  )
}
