import type { MomentDiff } from '@kiroku/audit'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import { get } from '../../data/api.ts'
import { Empty } from '../../parts/Empty.tsx'
import { clock, duration, time } from '../../parts/format.ts'
import { Problem } from '../../parts/Problem.tsx'
import { Reading } from '../../parts/Reading.tsx'
import { compareWindow } from '../../time/compareWindow.ts'
import { Histogram } from '../../time/Histogram.tsx'
import { MomentTip } from '../../time/MomentTip.tsx'
import { Slider } from '../../time/Slider.tsx'
import { momentText, shareOf, timeIn, type TimeWindow } from '../../time/timeWindow.ts'
import { useRailHistory } from '../../time/useRailHistory.ts'
import { MomentDiffView } from './MomentDiffView.tsx'
import styles from './TimePage.module.css'

const exactly = (at: number): string => `${time(at)}${clock(at).slice(8)}`

/** Default distance between the two moments, in ms. */
const apartMs = 5 * 60_000
const barsMax = 160
/** Messages of each kind that are listed. */
const messagesMax = 200

/** A queue at two moments of its record, and what lies between them. `here` is the chosen moment. */
export const Compare = ({
  queue,
  record,
  here,
}: {
  readonly queue: string
  readonly record: TimeWindow
  readonly here: number | undefined
}) => {
  const search = useSearch({ strict: false }) as { readonly a?: string; readonly b?: string }
  const navigate = useNavigate()
  const b = timeOf(search.b) ?? here ?? record.to
  const a = timeOf(search.a) ?? Math.max(record.from, b - apartMs)
  const [first, last] = [Math.min(a, b), Math.max(a, b)]
  const window = useRef<TimeWindow>(undefined)
  // The requested moment may be a little before the first record, or after the last one.
  const reach = { from: Math.min(record.from, first), to: Math.max(record.to, last) }
  const shown = (window.current = compareWindow(reach, a, b, window.current))
  const history = useRailHistory(queue, shown, barsMax).data
  // The requested moments are on record.
  const [begin, end] = [Math.max(first, record.from), Math.min(last, record.to)]
  const diff = useQuery({
    queryKey: ['diff', queue, begin, end],
    queryFn: ({ signal }) =>
      get<MomentDiff>(
        `/v1/queues/${encodeURIComponent(queue)}/diff`,
        { a: momentText(begin), b: momentText(end), limit: messagesMax },
        signal,
      ),
    enabled: begin < end,
    placeholderData: (before, asked) => (asked?.queryKey[1] === queue ? before : undefined),
  })
  const put = (name: 'a' | 'b', to: number): void =>
    void navigate({
      to: '.',
      replace: true,
      resetScroll: false,
      search: ((before: object) => ({ ...before, [name]: momentText(to) })) as never,
    })
  return (
    <section className={styles['compare']} aria-labelledby="compare">
      <h2 id="compare">Compare two moments of {queue}</h2>
      <div className={styles['slider']}>
        <Slider
          window={shown}
          handles={[
            { name: 'A, earlier', letter: 'A', at: a, text: exactly(a), onMove: (to) => put('a', to) },
            { name: 'B, later', letter: 'B', at: b, text: exactly(b), onMove: (to) => put('b', to) },
          ]}
          tip={(at) => <MomentTip at={at} history={history} window={shown} />}
        >
          <span
            className={styles['stretch']}
            style={{
              left: `${shareOf(shown, first) * 100}%`,
              right: `${(1 - shareOf(shown, last)) * 100}%`,
            }}
          />
          {history !== undefined && <Histogram history={history} window={shown} />}
        </Slider>
      </div>
      <p className={styles['between']}>
        <span>
          A <strong>{exactly(first)}</strong>
        </span>
        <span>
          B <strong>{exactly(last)}</strong>
        </span>
        <span>{duration(last - first)} apart</span>
        <button type="button" className="button small" onClick={() => put('a', record.from)}>
          Start A at first record
        </button>
        {here !== undefined && (
          <>
            <button type="button" className="button small" onClick={() => put('a', here)}>
              A here
            </button>
            <button type="button" className="button small" onClick={() => put('b', here)}>
              B here
            </button>
          </>
        )}
      </p>
      {diff.error !== null && <Problem error={diff.error} retry={() => void diff.refetch()} />}
      {diff.isFetching && <Reading key={`${begin} ${end}`} what={`how ${queue} stood at A and at B`} />}
      {begin >= end && (
        <Empty title="A and B are the same moment of the record">
          Move one of them, and see what changed.
        </Empty>
      )}
      {diff.data !== undefined && diff.error === null && begin < end && (
        <div className={styles['found']} data-stale={diff.isPlaceholderData}>
          <MomentDiffView diff={diff.data} />
        </div>
      )}
    </section>
  )
}

const timeOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : timeIn(text)
