import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { get } from '../../data/api.ts'
import { useMoment, useScope } from '../../data/moment.ts'
import { Empty } from '../../parts/Empty.tsx'
import { clock, time } from '../../parts/format.ts'
import { Problem } from '../../parts/Problem.tsx'
import { useNarrow } from '../../parts/useNarrow.ts'
import { Slider } from '../../time/Slider.tsx'
import { momentText, timeIn } from '../../time/timeWindow.ts'
import { useMomentTime, useSpan } from '../../time/useSpan.ts'
import { MomentDiffView } from './MomentDiffView.tsx'
import type { MomentDiff } from '@kiroku/audit'
import { QueueThen } from './QueueThen.tsx'
import styles from './TimePage.module.css'

const exactly = (at: number): string => `${time(at)}${clock(at).slice(8)}`

/** A queue at two moments, and what lies between them. */
export const TimePage = () => {
  const { queue } = useScope()
  const { at } = useMoment()
  const span = useSpan(queue, false)
  const here = useMomentTime()
  const isNarrow = useNarrow()
  const { a: wantedA, b: wantedB } = useSearch({ strict: false }) as {
    readonly a?: string
    readonly b?: string
  }
  const navigate = useNavigate()
  const record =
    span.data === undefined
      ? undefined
      : { from: span.data.from.at, to: Math.max(span.data.to.at, span.data.from.at + 1) }
  const b = (wantedB === undefined ? undefined : timeIn(wantedB)) ?? here ?? record?.to
  const a =
    (wantedA === undefined ? undefined : timeIn(wantedA)) ??
    (record === undefined || b === undefined ? undefined : Math.max(record.from, b - 5 * 60_000))
  const [first, last] = a === undefined || b === undefined ? [] : [Math.min(a, b), Math.max(a, b)]
  const diff = useQuery({
    queryKey: ['diff', queue, first, last],
    queryFn: ({ signal }) =>
      get<MomentDiff>(
        `/v1/queues/${encodeURIComponent(queue!)}/diff`,
        { a: momentText(first!), b: momentText(last!), limit: 200 },
        signal,
      ),
    enabled: queue !== undefined && first !== undefined && last !== undefined && first < last,
    placeholderData: (before) => before,
  })
  const put = (name: 'a' | 'b', to: number): void =>
    void navigate({
      to: '.',
      replace: true,
      search: ((before: object) => ({ ...before, [name]: momentText(to) })) as never,
    })
  return (
    <div className="page">
      <header className="page-head">
        <h1>Time travel</h1>
        <p className="quiet">
          The slider above moves every page.{' '}
          {!isNarrow && (
            <>
              <kbd>Space</kbd> plays, <kbd>[</kbd> <kbd>]</kbd> go record by record, <kbd>n</kbd> comes back.
            </>
          )}
        </p>
      </header>
      {span.error !== null && <Problem error={span.error} retry={() => void span.refetch()} />}
      {queue === undefined ? (
        <Empty title="Pick a queue to compare two moments">
          <p>
            <kbd>Ctrl K</kbd> finds it by name. The slider works for all queues too: then the <em>Machine</em>{' '}
            shows them together.
          </p>
        </Empty>
      ) : (
        <>
          {at !== undefined && <QueueThen queue={queue} at={at} />}
          {record !== undefined && first !== undefined && last !== undefined && (
            <section className={styles['compare']} aria-labelledby="compare">
              <h2 id="compare">Compare two moments of {queue}</h2>
              <div className={styles['slider']}>
                <Slider
                  window={record}
                  handles={[
                    {
                      name: 'A, earlier',
                      at: a!,
                      text: exactly(a!),
                      onMove: (to) => put('a', to),
                    },
                    { name: 'B, later', at: b!, text: exactly(b!), onMove: (to) => put('b', to) },
                  ]}
                />
              </div>
              <p className={styles['between']}>
                <strong>{exactly(first)}</strong> to <strong>{exactly(last)}</strong>
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
              {diff.error !== null && <Problem error={diff.error} />}
              {diff.isFetching && (
                <p className="quiet" role="status">
                  Loading…
                </p>
              )}
              {diff.data !== undefined && <MomentDiffView diff={diff.data} />}
            </section>
          )}
        </>
      )}
    </div>
  )
}
