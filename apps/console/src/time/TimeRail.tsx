import { useQuery } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { get } from '../data/api.ts'
import { useMoment, useScope } from '../data/moment.ts'
import { useLive } from '../data/useFeed.ts'
import { clock, duration, time } from '../parts/format.ts'
import { usePlayback } from '../replay/usePlayback.tsx'
import { useKeys } from '../shell/useKeys.ts'
import { Slider } from './Slider.tsx'
import { momentText, shareOf, windowAround, zooms } from './timeWindow.ts'
import { useMomentTime, useSpan } from './useSpan.ts'
import styles from './TimeRail.module.css'

const speeds = [1, 10, 100, 1_000] as const
/** While the hand moves, the URL follows as often, in ms. */
const dragMs = 80
/** Marks that a slider has room for. */
const marksMax = 200

/** An administrative act, as a mark on the slider. */
interface Mark {
  readonly at: number
  readonly event: string
  readonly queue: string
  readonly by: { readonly name: string }
}

/** The slider over the record, on every page: what is looked at, now or then; play, step, and back to now. */
export const TimeRail = () => {
  const { at, setAt } = useMoment()
  const { queue } = useScope()
  const { isLive } = useLive()
  const playback = usePlayback()
  const [zoom, setZoom] = useState<(typeof zooms)[number]['key']>('all')
  const [dragged, setDragged] = useState<number>()
  const movedMs = useRef(0)
  const isPast = at !== undefined
  const span = useSpan(queue, isLive && !isPast && document.visibilityState === 'visible').data
  const asked = useMomentTime()
  const acts = useQuery({
    queryKey: ['marks', queue],
    queryFn: ({ signal }) => get<{ acts: readonly Mark[] }>('/v1/acts', { queue }, signal),
    enabled: isPast,
  })
  useKeys({
    '[': () => playback.step(-1),
    ']': () => playback.step(1),
    ' ': () => (playback.isPlaying ? playback.pause() : playback.play()),
  })
  const shownAt = dragged ?? (isPast ? (playback.standing?.at ?? asked) : span?.to.at)
  const record = useMemo(
    () =>
      span === undefined ? undefined : { from: span.from.at, to: Math.max(span.to.at, span.from.at + 1) },
    [span],
  )
  const anchor = useRef<number>(undefined)
  if (dragged === undefined) anchor.current = shownAt
  const toNow = (
    <button type="button" className="button small" onClick={() => setAt(undefined)} title="Back to now  n">
      Now
    </button>
  )
  // A moment that there is not must let go of its reader too.
  if (record === undefined || shownAt === undefined)
    return (
      <section className={styles['rail']} data-past={isPast} aria-label="Time">
        {isPast && toNow}
      </section>
    )
  const ms = zooms.find(({ key }) => key === zoom)!.ms
  const shown = windowAround(record, anchor.current ?? shownAt, ms)
  const move = (to: number, isLast: boolean): void => {
    setDragged(isLast ? undefined : to)
    if (isLast && to >= record.to) return setAt(undefined)
    const now = performance.now()
    if (!isLast && now - movedMs.current < dragMs) return
    movedMs.current = now
    setAt(momentText(to), { replace: isPast })
  }
  const home = span?.home
  const seq = home === undefined ? undefined : playback.standing?.seqs[home]
  const text = isPast ? `${time(shownAt)}${clock(shownAt).slice(8)}` : 'Now'
  return (
    <section className={styles['rail']} data-past={isPast} aria-label="Time">
      {isPast && (
        <div className={styles['controls']}>
          <button
            type="button"
            className="button small"
            onClick={() => playback.step(-1)}
            aria-label="One record back"
            title="One record back  ["
          >
            ◂
          </button>
          <button
            type="button"
            className="button small strong"
            onClick={() => (playback.isPlaying ? playback.pause() : playback.play())}
          >
            {playback.isPlaying ? 'Pause' : 'Play'}
          </button>
          <button
            type="button"
            className="button small"
            onClick={() => playback.step(1)}
            aria-label="One record on"
            title="One record on  ]"
          >
            ▸
          </button>
          <select
            className={styles['select']}
            aria-label="Speed"
            value={playback.speed}
            onChange={(event) => playback.setSpeed(Number(event.target.value))}
          >
            {speeds.map((speed) => (
              <option key={speed} value={speed}>
                {speed}×
              </option>
            ))}
          </select>
        </div>
      )}
      <span className={styles['edge']}>{duration(shownAt - shown.from)}</span>
      <Slider window={shown} handles={[{ name: 'Moment', at: shownAt, text, onMove: move }]}>
        {(acts.data?.acts ?? [])
          .filter((act) => act.at >= shown.from && act.at <= shown.to)
          .slice(-marksMax)
          .map((act, i) => (
            <span
              key={`${act.at} ${i}`}
              className={styles['mark']}
              style={{ left: `${shareOf(shown, act.at) * 100}%` }}
              title={`${clock(act.at)} ${act.event} ${act.queue} by ${act.by.name}`}
            />
          ))}
      </Slider>
      <select
        className={styles['select']}
        aria-label="Stretch of the record"
        value={zoom}
        onChange={(event) => setZoom(event.target.value as typeof zoom)}
      >
        {zooms.map(({ key, name }) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
      <output
        className={styles['moment']}
        data-at={shownAt}
        data-seq={seq}
        data-stands-at={playback.standing?.at}
      >
        {text}
        {playback.isPlaying && playback.standing?.isReading !== false && (
          <span className={styles['reading']}>reading ahead…</span>
        )}
        {isPast && seq !== undefined && <span className={styles['seq']}>seq {`${home}/${seq}`}</span>}
      </output>
      {isPast && toNow}
      {playback.error !== undefined && (
        <p className={styles['error']} role="alert">
          {playback.error.message} {playback.error.help}
        </p>
      )}
    </section>
  )
}
