import type { RedriveDescription } from '@kiroku/protocol'
import { useRef, useState } from 'react'
import { cancelCommand } from '../../data/redrives.ts'
import { CommandDialog } from '../../parts/CommandDialog.tsx'
import { Time } from '../../parts/When.tsx'
import { count, rate } from '../../parts/format.ts'
import styles from './Dlq.module.css'
import { describeOutcome, progressOf } from './describeDryRun.ts'

/** A running redrive: its progress and rate, and how to cancel it. */
export const RunningRedrive = ({
  redrive,
  mayCancel,
}: {
  readonly redrive: RedriveDescription
  readonly mayCancel: boolean
}) => {
  const [isEnding, setEnding] = useState(false)
  const first = useRef({ moved: redrive.moved, at: Date.now() })
  const { done, total } = progressOf(redrive)
  const seconds = (Date.now() - first.current.at) / 1_000
  const speed = seconds < 1 ? undefined : (redrive.moved - first.current.moved) / seconds
  const { moved, onTheWay = 0, left, queue, by, startedAt, rateMax } = redrive
  return (
    <section className={`card ${styles['running']}`} aria-label={`Redrive ${redrive.task} is running`}>
      <div className={styles['running-head']}>
        <h2>
          Redrive {redrive.task}: {count(moved)} moved, {onTheWay > 0 && `${count(onTheWay)} on the way, `}
          {count(left)} left
        </h2>
        {mayCancel && (
          <button type="button" className="button danger small" onClick={() => setEnding(true)}>
            Cancel the rest…
          </button>
        )}
      </div>
      <progress max={Math.max(1, total)} value={done} aria-label="Progress of the redrive" />
      <p className="quiet">
        {speed === undefined ? '' : `${rate(speed)}, `}
        {rateMax === 0 ? 'no limit' : `at most ${count(rateMax)} per second`}, since{' '}
        <Time at={startedAt} now={Date.now()} /> by {by.name}
        {by.reason === undefined ? '' : `: ${by.reason}`}
      </p>
      {isEnding && (
        <CommandDialog<RedriveDescription>
          title={`Cancel redrive ${redrive.task}`}
          action="Cancel the rest"
          danger
          command={() => cancelCommand(redrive)}
          done={(ended) => `Cancelled: ${describeOutcome(ended)}.`}
          onClose={() => setEnding(false)}
        >
          <p>
            {count(moved + onTheWay)} were moved and stay moved. {count(left)} stay in {queue}.
          </p>
        </CommandDialog>
      )}
    </section>
  )
}
