import {
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
} from 'react'
import { useNarrow } from '../parts/useNarrow.ts'
import { clockTicks } from './ticks.ts'
import { momentAt, shareOf, type TimeWindow } from './timeWindow.ts'
import styles from './Slider.module.css'

/** A handle on the slider. */
interface Handle {
  readonly name: string
  readonly at: number
  readonly text: string
  /** Its label, if there are two. */
  readonly letter?: string
  /** `isLast`: the pointer was released. */
  readonly onMove: (at: number, isLast: boolean) => void
}

/** Shares of the window that the keys move by. */
const keySteps: Readonly<Record<string, number>> = {
  ArrowLeft: -0.002,
  ArrowDown: -0.002,
  ArrowRight: 0.002,
  ArrowUp: 0.002,
  PageDown: -0.05,
  PageUp: 0.05,
}

/** Most times written under a slider, and on a phone. */
const [ticksMax, ticksMaxNarrow] = [9, 4]

/**
 * Time from left to right with one handle or two, and clock times below; `children` are drawn on the track.
 * `tip` describes the moment under the pointer, or of the handle that the keys move.
 */
export const Slider = ({
  window: shown,
  handles,
  tip,
  children,
}: {
  readonly window: TimeWindow
  readonly handles: readonly Handle[]
  readonly tip?: (at: number) => ReactNode
  readonly children?: ReactNode
}) => {
  const isNarrow = useNarrow()
  const [hovered, setHovered] = useState<number>()
  const [focused, setFocused] = useState<string>()
  const tipAt = hovered ?? handles.find(({ name }) => name === focused)?.at
  const track = useRef<HTMLDivElement>(null)
  const dragged = useRef<Handle>(undefined)
  const atOf = (event: PointerEvent): number => {
    const { left, width } = track.current!.getBoundingClientRect()
    return momentAt(shown, (event.clientX - left) / width)
  }
  const nearest = (at: number): Handle =>
    handles.reduce((a, b) => (Math.abs(b.at - at) < Math.abs(a.at - at) ? b : a))
  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return
    const at = atOf(event)
    dragged.current = nearest(at)
    track.current!.setPointerCapture(event.pointerId)
    dragged.current.onMove(at, false)
  }
  const onPointerMove = (event: PointerEvent): void => {
    if (event.pointerType !== 'touch' || dragged.current !== undefined) setHovered(atOf(event))
    const handle = dragged.current
    if (handle === undefined) return
    handles.find(({ name }) => name === handle.name)!.onMove(atOf(event), false)
  }
  const onPointerUp = (event: PointerEvent): void => {
    if (event.pointerType === 'touch') setHovered(undefined)
    const handle = dragged.current
    dragged.current = undefined
    if (handle !== undefined) handles.find(({ name }) => name === handle.name)!.onMove(atOf(event), true)
  }
  const onKeyDown =
    ({ at, onMove }: Handle) =>
    (event: KeyboardEvent): void => {
      const by = keySteps[event.key]
      const to =
        event.key === 'Home'
          ? shown.from
          : event.key === 'End'
            ? shown.to
            : by === undefined
              ? undefined
              : at + by * (shown.to - shown.from)
      if (to === undefined) return
      event.preventDefault()
      onMove(Math.round(Math.min(shown.to, Math.max(shown.from, to))), true)
    }
  return (
    <div
      ref={track}
      className={styles['track']}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerLeave={() => setHovered(undefined)}
    >
      <div className={styles['line']} />
      {children}
      {handles.map((handle) => (
        <div
          key={handle.name}
          role="slider"
          tabIndex={0}
          className={styles['handle']}
          style={{ left: `${shareOf(shown, handle.at) * 100}%` }}
          data-letter={handle.letter}
          aria-label={handle.name}
          aria-valuemin={shown.from}
          aria-valuemax={shown.to}
          aria-valuenow={Math.min(shown.to, Math.max(shown.from, handle.at))}
          aria-valuetext={handle.text}
          onKeyDown={onKeyDown(handle)}
          onFocus={({ target }) => target.matches(':focus-visible') && setFocused(handle.name)}
          onBlur={() => setFocused(undefined)}
        />
      ))}
      <div className={styles['ticks']} aria-hidden="true">
        {clockTicks(shown, isNarrow ? ticksMaxNarrow : ticksMax).map(({ at, text }) => (
          <span key={at} style={{ '--share': shareOf(shown, at) } as CSSProperties}>
            {text}
          </span>
        ))}
      </div>
      {tip !== undefined && tipAt !== undefined && (
        <>
          <span className={styles['at']} style={{ left: `${shareOf(shown, tipAt) * 100}%` }} />
          <div className={styles['tip']} style={{ '--share': shareOf(shown, tipAt) } as CSSProperties}>
            {tip(tipAt)}
          </div>
        </>
      )}
    </div>
  )
}
