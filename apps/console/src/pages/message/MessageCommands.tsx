import type { Trace } from '@kiroku/audit'
import { useState } from 'react'
import type { MessageBody } from '../../data/MessageBody.ts'
import { useSending } from '../../send/Sending.tsx'
import { CommandDialog } from '../../parts/CommandDialog.tsx'
import { sendAgain } from './sendAgain.ts'

/** What an operator can do to a message. */
type Doing = 'recall' | 'reschedule' | 'redrive'

/** Where a dead letter came from; undefined: the message is none. */
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

/** Whether a message lies in its queue with nobody at work on it. */
export const isLying = ({ steps }: Trace): boolean => steps.at(-1)?.state === 'Available'

/** The commands that there are for a message; those that it does not allow now say why. */
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
  const entry = (name: string, reason: string | undefined, run: () => void) => (
    <span className="row">
      <button
        type="button"
        className="button small"
        disabled={(refusal ?? reason) !== undefined}
        onClick={run}
      >
        {name}
      </button>
      {(refusal ?? reason) !== undefined && <span className="quiet">({refusal ?? reason})</span>}
    </span>
  )
  const notDelayed = isDelayed ? undefined : 'not delayed'
  return (
    <>
      {entry(
        'Redrive…',
        origin === undefined ? 'not a dead letter' : isLying(trace) ? undefined : 'not available now',
        () => setDoing('redrive'),
      )}
      {entry('Recall…', notDelayed, () => setDoing('recall'))}
      {entry('Reschedule…', notDelayed, () => setDoing('reschedule'))}
      {entry('Send again…', again.reason, () => begin(again.draft))}
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
            attempts before it.
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
            1 message of <strong>{last.queue}</strong> is discarded before anybody receives it. Nothing brings
            it back; its record stays.
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
          done={() => 'The message has another time.'}
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
    </>
  )
}
