import { useScope } from '../../data/moment.ts'
import { useAskedMoment } from '../../data/played.ts'
import { Problem } from '../../parts/Problem.tsx'
import { QueuePicker } from '../../parts/QueuePicker.tsx'
import { useNarrow } from '../../parts/useNarrow.ts'
import { useAskedTime, useMomentTime, useSpan } from '../../time/useSpan.ts'
import { Compare } from './Compare.tsx'
import { Lately } from './Lately.tsx'
import { QueueThen } from './QueueThen.tsx'

/**
 * What changed lately in all queues; of one queue its state at a moment, and what lies between two moments.
 */
export const TimePage = () => {
  const { queue } = useScope()
  const askedAt = useAskedMoment()
  const asked = useAskedTime()
  const span = useSpan(queue, false)
  const here = useMomentTime()
  const isNarrow = useNarrow()
  const record =
    span.data === undefined || span.isPlaceholderData
      ? undefined
      : { from: span.data.from.at, to: Math.max(span.data.to.at, span.data.from.at + 1) }
  return (
    <div className="page">
      <header className="page-head">
        <h1>Time travel</h1>
        {!isNarrow && (
          <p className="quiet">
            The slider above moves every page: <kbd>Space</kbd> plays, <kbd>[</kbd> <kbd>]</kbd> go record by
            record, <kbd>n</kbd> comes back.
          </p>
        )}
        <div className="row end">
          <QueuePicker />
        </div>
      </header>
      {span.error !== null && <Problem error={span.error} retry={() => void span.refetch()} />}
      {queue === undefined ? (
        <Lately to={asked} />
      ) : (
        <>
          {askedAt !== undefined && <QueueThen queue={queue} at={askedAt} />}
          {record !== undefined && <Compare key={queue} queue={queue} record={record} here={here} />}
        </>
      )}
    </div>
  )
}
