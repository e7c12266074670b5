import { useRef, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react'
import { momentAt, shareOf, type TimeWindow } from './timeWindow.ts'
import styles from './Slider.module.css'

/** A handle on the slider. */
interface Handle {
  readonly name: string
  readonly at: number
  readonly text: string
  /** `isLast`: the hand let go. */
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

/** Time from left to right with one handle or two; `children` lie on the track. */
export const Slider = ({
  window: shown,
  handles,
  children,
}: {
  readonly window: TimeWindow
  readonly handles: readonly Handle[]
  readonly children?: ReactNode
}) => {
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
    const handle = dragged.current
    if (handle === undefined) return
    handles.find(({ name }) => name === handle.name)!.onMove(atOf(event), false)
  }
  const onPointerUp = (event: PointerEvent): void => {
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
          aria-label={handle.name}
          aria-valuemin={shown.from}
          aria-valuemax={shown.to}
          aria-valuenow={Math.min(shown.to, Math.max(shown.from, handle.at))}
          aria-valuetext={handle.text}
          onKeyDown={onKeyDown(handle)}
        />
      ))}
    </div>
  )
}
