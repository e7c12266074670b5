import { causalSteps } from '@kiroku/audit/causal-steps'
import { traceUpTo } from '@kiroku/audit/trace-up-to'
import type { Trace } from '@kiroku/audit'
import { useMemo, type ReactNode } from 'react'
import { useMoment } from '../../data/moment.ts'
import { usePageSearch } from '../../data/pageSearch.ts'
import { useRefusal } from '../../data/refusal.ts'
import { useHasHappened } from '../../data/useHasHappened.ts'
import { useKeys } from '../../shell/useKeys.ts'
import { EventColumns } from './EventColumns.tsx'
import { isLying } from './MessageCommands.tsx'
import { NextSteps } from './NextSteps.tsx'
import { PayloadPanel, useBody } from './payload/PayloadPanel.tsx'
import { StoryHead } from './StoryHead.tsx'
import { TimelineView } from './timeline/TimelineView.tsx'
import { isOver } from './useTrace.ts'

/** What is on record about a message, in several views. */
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
  const last = steps[happened - 1]
  const isLive = !isOffline && at === undefined && !isOver(trace)
  // Clocks differ a little: a message is never younger than what happened to it.
  const now = useMemo(
    () => (isLive ? Math.max(Date.now(), steps.at(-1)?.at ?? 0) : undefined),
    [isLive, steps],
  )
  const refused = useRefusal(trace.steps.at(-1)?.queue)
  const refusal = isOffline ? 'This trace is from a file.' : refused
  return (
    <>
      <StoryHead
        trace={trace}
        told={told}
        steps={steps.slice(0, happened)}
        now={now}
        body={body.data}
        refusal={refusal}
      >
        {choose}
      </StoryHead>
      <TimelineView
        steps={steps}
        attempts={attempts}
        happened={happened}
        selected={selected}
        now={now}
        onSelect={select}
      />
      <EventColumns steps={steps} happened={happened} selected={selected} onSelect={select} />
      {!isOffline && (
        <PayloadPanel
          id={messageId}
          queue={trace.steps.at(-1)?.queue}
          body={body}
          canEdit={refusal === undefined && isLying(trace)}
        />
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
