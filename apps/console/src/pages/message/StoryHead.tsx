import type { MessageBody } from '@kiroku/api/answers'
import type { Trace } from '@kiroku/audit'
import { exportTrace } from '@kiroku/audit/trace-file'
import type { ReactNode } from 'react'
import { CopyButton } from '../../parts/CopyButton.tsx'
import { count, duration } from '../../parts/format.ts'
import { saveFile } from '../../parts/saveFile.ts'
import { StateMark, stateWords, type StateName } from '../../parts/StateMark.tsx'
import { MessageCommands, originOf } from './MessageCommands.tsx'
import styles from './MessagePage.module.css'

const finals: readonly StateName[] = ['Committed', 'DLQ', 'Discarded']

/** What a message is, in a few words, and what can be done with it. */
export const StoryHead = ({
  trace,
  told,
  steps,
  now,
  body,
  refusal,
  children,
}: {
  readonly trace: Trace
  /** As far as it had happened at the chosen moment. */
  readonly told: Trace
  /** Those of them that had happened, by cause. */
  readonly steps: Trace['steps']
  /** Undefined where the message does not grow older. */
  readonly now: number | undefined
  readonly body: MessageBody | undefined
  /** Why nothing can be done; undefined where it can. */
  readonly refusal: string | undefined
  /** Further buttons. */
  readonly children: ReactNode
}) => {
  const { messageId } = trace
  const last = steps.at(-1)
  // It is in a dead-letter queue, where the machine starts over: that it is a dead letter comes first.
  const isLetter = last !== undefined && !finals.includes(last.state) && originOf({ steps }) !== undefined
  return (
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
          {body?.traceparent !== undefined && (
            <CopyButton text={body.traceparent}>Copy traceparent</CopyButton>
          )}
          <button
            type="button"
            className="button small"
            onClick={() => saveFile(`${messageId}.ndjson`, exportTrace(trace))}
          >
            Export
          </button>
          {children}
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
            {now === undefined
              ? `took ${duration(last.at - steps[0].at)}`
              : `${duration(now - steps[0].at)} old`}
          </span>
        )}
        <span>
          {count(told.attempts.length)} {told.attempts.length === 1 ? 'attempt' : 'attempts'}
        </span>
        {told.cameBack > 0 && (
          <strong>came back {told.cameBack === 1 ? 'once' : `${count(told.cameBack)} times`}</strong>
        )}
        {body?.traceparent !== undefined && <code>{body.traceparent}</code>}
      </p>
      {last !== undefined && <MessageCommands trace={trace} body={body} refusal={refusal} />}
      {steps.length === 0 && <p className={styles['note']}>At that moment it had not been sent yet.</p>}
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
  )
}
