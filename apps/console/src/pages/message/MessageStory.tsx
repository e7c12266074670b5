import { causalSteps } from '@kiroku/audit/causal-steps'
import { exportTrace } from '@kiroku/audit/trace-file'
import { traceUpTo } from '@kiroku/audit/trace-up-to'
import type { Trace } from '@kiroku/audit'
import { useMemo, type ReactNode } from 'react'
import { useMoment } from '../../data/moment.ts'
import { usePageSearch } from '../../data/pageSearch.ts'
import { useRefusal } from '../../data/refusal.ts'
import { useHasHappened } from '../../data/useHasHappened.ts'
import { CopyButton } from '../../parts/CopyButton.tsx'
import { count, duration } from '../../parts/format.ts'
import { saveFile } from '../../parts/saveFile.ts'
import { StateMark, stateWords, type StateName } from '../../parts/StateMark.tsx'
import { useKeys } from '../../shell/useKeys.ts'
import { changesOf } from './changesOf.ts'
import { EventFacts, EventList } from './EventList.tsx'
import { MachinePath } from './MachinePath.tsx'
import { isLying, MessageCommands, originOf } from './MessageCommands.tsx'
import { NextSteps } from './NextSteps.tsx'
import { PayloadPanel, useBody } from './payload/PayloadPanel.tsx'
import { TimelineView } from './timeline/TimelineView.tsx'
import { isOver } from './useTrace.ts'
import styles from './MessagePage.module.css'

const finals: readonly StateName[] = ['Committed', 'DLQ', 'Discarded']

/** What is on record about a message, told in every way that helps. */
export const MessageStory = ({
  trace,
  isOffline,
  choose,
}: {
  readonly trace: Trace
  readonly isOffline: boolean
  /** Opens a file instead. */
  readonly choose: ReactNode
}) => {
  const { attempts, messageId } = trace
  const steps = useMemo(() => causalSteps(trace.steps), [trace])
  const { at } = useMoment()
  const { search, setSearch } = usePageSearch()
  const hasHappened = useHasHappened()
  const told = (isOffline || hasHappened === undefined ? trace : traceUpTo(trace, hasHappened)) ?? trace
  const body = useBody(messageId, isOffline)
  const later =
    isOffline || hasHappened === undefined ? -1 : trace.steps.findIndex((step) => !hasHappened(step))
  const happened = later < 0 ? steps.length : later
  const wanted = Number(search['event'] ?? happened)
  const selected = Math.max(0, Math.min(steps.length, Number.isInteger(wanted) ? wanted : happened) - 1)
  const select = (event: number): void => setSearch({ event: String(event + 1) }, { replace: true })
  useKeys({
    h: () => select(Math.max(0, selected - 1)),
    l: () => select(Math.min(steps.length - 1, selected + 1)),
  })
  const changes = useMemo(() => changesOf(steps), [steps])
  const last = steps[happened - 1]
  const step = steps[selected]
  // It lies in a queue of dead letters, where the machine begins again: what it is to its reader comes first.
  const isLetter =
    last !== undefined &&
    !finals.includes(last.state) &&
    originOf({ steps: steps.slice(0, happened) }) !== undefined
  const isLive = !isOffline && at === undefined && !isOver(trace)
  // Clocks differ a little: a message is never younger than what happened to it.
  const now = useMemo(
    () => (isLive ? Math.max(Date.now(), steps.at(-1)?.at ?? 0) : undefined),
    [isLive, steps],
  )
  const isFull = search['view'] === 'full'
  const refused = useRefusal()
  const refusal = isOffline ? 'This trace is from a file.' : refused
  return (
    <>
      <header className={styles['head']}>
        <div className="page-head">
          <h1 className={styles['id']}>{messageId}</h1>
          {last !== undefined && <StateMark state={isLetter ? 'DLQ' : last.state} />}
          {isLetter && (
            <span className="quiet">
              {stateWords[last.state].toLowerCase()} in {last.queue}
            </span>
          )}
          <div className="row end">
            <CopyButton text={messageId}>Copy id</CopyButton>
            <CopyButton text={`kiroku trace ${messageId}`}>Copy command</CopyButton>
            {body.data?.traceparent !== undefined && (
              <CopyButton text={body.data.traceparent}>Copy traceparent</CopyButton>
            )}
            <button
              type="button"
              className="button small"
              onClick={() => saveFile(`${messageId}.ndjson`, exportTrace(trace))}
            >
              Export
            </button>
            {choose}
          </div>
        </div>
        <p className={styles['facts']}>
          <span>{told.queues.join(' → ')}</span>
          {last !== undefined && (
            <span>
              partition {last.partition}, number {last.number}
            </span>
          )}
          {last !== undefined && steps[0] !== undefined && (
            <span>
              {isLive
                ? `${duration((now ?? 0) - steps[0].at)} old`
                : `took ${duration(last.at - steps[0].at)}`}
            </span>
          )}
          <span>
            {count(told.attempts.length)} {told.attempts.length === 1 ? 'attempt' : 'attempts'}
          </span>
          {told.cameBack > 0 && (
            <strong>came back {told.cameBack === 1 ? 'once' : `${count(told.cameBack)} times`}</strong>
          )}
          {body.data?.traceparent !== undefined && <code>{body.data.traceparent}</code>}
        </p>
        {last !== undefined && <MessageCommands trace={trace} body={body.data} refusal={refusal} />}
        {happened === 0 && <p className={styles['note']}>At that moment it had not been sent yet.</p>}
        {!trace.complete && (
          <p className={styles['note']}>
            The record begins later than the message: earlier events were trimmed.
          </p>
        )}
        {trace.unreadable.length > 0 && (
          <p className={styles['note']}>
            {count(trace.unreadable.length)} records cannot be read, the first is{' '}
            {trace.unreadable[0]!.partition}/{trace.unreadable[0]!.seq}: <code>kiroku verify</code> says more.
          </p>
        )}
      </header>
      <TimelineView
        steps={steps}
        attempts={attempts}
        happened={happened}
        selected={selected}
        now={now}
        onSelect={select}
      />
      <div className={styles['columns']}>
        <section className={styles['column']} aria-labelledby="events">
          <header className="row">
            <h2 id="events">Events</h2>
            <span className="quiet">
              {count(selected + 1)} of {count(steps.length)} <kbd>h</kbd> <kbd>l</kbd>
            </span>
            <button
              type="button"
              className={`button small ${styles['end']}`}
              aria-pressed={isFull}
              onClick={() => setSearch({ view: isFull ? undefined : 'full' }, { replace: true })}
            >
              {isFull ? 'Compact' : 'Full'}
            </button>
          </header>
          <EventList
            steps={steps}
            changes={changes}
            happened={happened}
            selected={selected}
            isFull={isFull}
            onSelect={select}
          />
        </section>
        <aside className={styles['column']} aria-label="The chosen event">
          <MachinePath steps={steps} selected={selected} />
          {step !== undefined && (
            <>
              <h2>
                {selected + 1}. {step.event}
              </h2>
              <EventFacts step={step} changes={changes[selected]!} />
            </>
          )}
        </aside>
      </div>
      {!isOffline && (
        <PayloadPanel id={messageId} body={body} canEdit={refusal === undefined && isLying(trace)} />
      )}
      {last !== undefined && (
        <NextSteps
          step={last}
          now={at === undefined && !isOffline ? Math.max(Date.now(), last.at) : last.at}
          isOffline={isOffline}
        />
      )}
    </>
  )
}
