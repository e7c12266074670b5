import type { Trace } from '@kiroku/audit'
import { useState } from 'react'
import type { MessageBody } from '@kiroku/api/answers'
import { useSending } from '../../send/Sending.tsx'
import { CommandDialog } from '../../parts/CommandDialog.tsx'
import { sendAgain } from './sendAgain.ts'
import styles from './MessagePage.module.css'

/** What an operator can do to a message. */
type Doing = 'recall' | 'reschedule' | 'redrive'

/** Where a dead letter came from; undefined: it is not a dead letter. */
export const originOf = ({ steps }: Pick<Trace, 'steps'>): string | undefined => {
  const last = steps.at(-1)
  if (last === undefined) return undefined
  const came = steps.findLast(
    ({ event, queue, number }) =>
      event === 'ForwardReceived' && queue === last.queue && number === last.number,
  )
  const left = steps.findLast(({ event, target }) => event === 'DeadLettered' && target?.queue === last.queue)
  return came === undefined || left === undefined ? undefined : left.queue
}

/** Whether a message is in its queue and not in flight. */
export const isLying = ({ steps }: Trace): boolean => steps.at(-1)?.state === 'Available'

/** A command on a message; `reason`: why it cannot be done now. */
interface Entry {
  readonly name: string
  readonly reason: string | undefined
  readonly run: () => void
}

/** Why some of them cannot be done, those with one reason together: `Recall, Reschedule: not delayed`. */
const whyNot = (entries: readonly Entry[]): string =>
  [...Map.groupBy(entries, ({ reason }) => reason)]
    .filter(([reason]) => reason !== undefined)
    .map(([reason, which]) => `${which.map(({ name }) => name).join(', ')}: ${reason}`)
    .join(' · ')

/** The commands for a message; those not possible now say why. */
export const MessageCommands = ({
  trace,
  body,
  refusal,
}: {
  readonly trace: Trace
  /** What it carries; undefined: not known yet. */
  readonly body: MessageBody | undefined
  readonly refusal: string | undefined
}) => {
  const [doing, setDoing] = useState<Doing>()
  const [delay, setDelay] = useState('60')
  const { messageId, steps } = trace
  const last = steps.at(-1)!
  const origin = originOf(trace)
  const { begin } = useSending()
  const again = sendAgain(trace.queues[0] ?? last.queue, body)
  const isDelayed = last.state === 'Delayed'
  const path = `/v1/messages/${encodeURIComponent(messageId)}`
  const close = (): void => setDoing(undefined)
  const notDelayed = isDelayed ? undefined : 'not delayed'
  const entries: readonly Entry[] = [
    {
      name: 'Redrive',
      reason: origin === undefined ? 'not a dead letter' : isLying(trace) ? undefined : 'not available now',
      run: () => setDoing('redrive'),
    },
    { name: 'Recall', reason: notDelayed, run: () => setDoing('recall') },
    { name: 'Reschedule', reason: notDelayed, run: () => setDoing('reschedule') },
    { name: 'Send again', reason: again.reason, run: () => begin(again.draft) },
  ]
  return (
    <section className={styles['commands']} aria-label="What you can do">
      {entries.map(({ name, reason, run }) => (
        <button
          key={name}
          type="button"
          className={`button ${name === 'Redrive' && reason === undefined ? 'strong' : ''}`}
          disabled={(refusal ?? reason) !== undefined}
          title={refusal ?? reason}
          onClick={run}
        >
          {name}…
        </button>
      ))}
      <p className="quiet">{refusal ?? whyNot(entries)}</p>
      {doing === 'redrive' && (
        <CommandDialog
          title="Redrive this message"
          action="Redrive 1 message"
          command={() => ({
            method: 'POST',
            path: `/v1/queues/${encodeURIComponent(last.queue)}/redrives`,
            body: { messages: [messageId] },
          })}
          done={() => `The message is on its way back to ${origin}.`}
          onClose={close}
        >
          <p>
            1 message moves from <strong>{last.queue}</strong> back to <strong>{origin}</strong>, with all its
            attempts available again.
          </p>
          {trace.cameBack > 0 && (
            <p>
              It was redriven before and came back {trace.cameBack === 1 ? 'once' : `${trace.cameBack} times`}
              .
            </p>
          )}
        </CommandDialog>
      )}
      {doing === 'recall' && (
        <CommandDialog
          title="Recall this message"
          action="Discard 1 message"
          danger
          command={() => ({ method: 'POST', path: `${path}/recall` })}
          done={() => 'The message is recalled.'}
          onClose={close}
        >
          <p>
            1 message of <strong>{last.queue}</strong> is discarded before anyone receives it. This cannot be
            undone; its record stays.
          </p>
        </CommandDialog>
      )}
      {doing === 'reschedule' && (
        <CommandDialog
          title="Reschedule this message"
          action="Reschedule 1 message"
          command={() => ({
            method: 'POST',
            path: `${path}/reschedule`,
            body: { delayMs: Math.round(Number(delay) * 1_000) },
          })}
          isReady={delay !== '' && Number(delay) >= 0}
          done={() => 'The message is rescheduled.'}
          onClose={close}
        >
          <label className="row">
            It becomes available in
            <input
              className="field"
              type="number"
              min="0"
              value={delay}
              onChange={(event) => setDelay(event.target.value)}
            />
            seconds
          </label>
        </CommandDialog>
      )}
    </section>
  )
}
