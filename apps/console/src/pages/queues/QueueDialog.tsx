import type { QueueCounts } from '@kiroku/protocol'
import { letterQueuesOf } from '../../data/letterQueues.ts'
import { useScope } from '../../data/moment.ts'
import { liveOf, useLogInfo, type QueueInfo, type SubscriptionInfo } from '../../data/queueInfos.ts'
import { CommandDialog } from '../../parts/CommandDialog.tsx'
import { count } from '../../parts/format.ts'
import { CreateSubscriptionDialog } from './CreateSubscriptionDialog.tsx'
import { SettingsDialog } from './SettingsDialog.tsx'
import { SubscriptionDialog } from './SubscriptionDialog.tsx'
import type { SubscriptionAct } from './SubscriptionTable.tsx'

/** A command on a queue. */
export type QueueAct =
  | { readonly kind: 'pause' | 'resume' | 'purge' | 'delete' | 'settings' | 'create subscription' }
  | {
      readonly kind: 'subscription'
      readonly what: SubscriptionAct
      readonly subscription: SubscriptionInfo
    }

/** Asks before a queue is changed. */
export const QueueDialog = ({
  act,
  info,
  counts,
  onClose,
}: {
  readonly act: QueueAct
  readonly info: QueueInfo
  /** Its current counts. */
  readonly counts: QueueCounts
  readonly onClose: () => void
}) => {
  const { setQueue } = useScope()
  const { name } = info
  const { data: log } = useLogInfo()
  const origins = letterQueuesOf(log?.queues ?? []).find((queue) => queue.name === name)?.origins ?? []
  const path = `/v1/queues/${encodeURIComponent(name)}`
  const waiting = counts.available + counts.waitingRetry + counts.delayed
  switch (act.kind) {
    case 'settings':
      return <SettingsDialog info={info} onClose={onClose} />
    case 'create subscription':
      return <CreateSubscriptionDialog info={info} onClose={onClose} />
    case 'subscription':
      return (
        <SubscriptionDialog queue={name} act={act.what} subscription={act.subscription} onClose={onClose} />
      )
    case 'pause':
      return (
        <CommandDialog
          title={`Pause ${name}`}
          action="Pause"
          command={() => ({ method: 'POST', path: `${path}/pause` })}
          done={() => `${name} is paused.`}
          onClose={onClose}
        >
          <p>
            Nothing is delivered until it is resumed: {count(waiting)} messages wait, and sends add to them.
            What is in flight ({count(counts.inflight)}) can still be settled. Retention continues meanwhile.
          </p>
        </CommandDialog>
      )
    case 'resume':
      return (
        <CommandDialog
          title={`Resume ${name}`}
          action="Resume"
          command={() => ({ method: 'POST', path: `${path}/resume` })}
          done={() => `${name} is resumed.`}
          onClose={onClose}
        >
          <p>Deliveries resume at once, oldest first: {count(counts.available)} messages are available.</p>
        </CommandDialog>
      )
    case 'purge':
      return (
        <CommandDialog<{ readonly purged: number }>
          title={`Purge ${name}`}
          action={`Discard ${count(liveOf(counts))} messages`}
          danger
          confirmName={name}
          command={() => ({ method: 'POST', path: `${path}/purge` })}
          done={({ purged }) => `${count(purged)} messages of ${name} discarded.`}
          onClose={onClose}
        >
          <Lost counts={counts} />
          <p>
            They are discarded (purged) for good and go to no dead-letter queue; the record keeps their
            history. Messages sent meanwhile may be included. The queue, its settings and subscriptions stay.
          </p>
        </CommandDialog>
      )
    case 'delete':
      return (
        <CommandDialog
          title={`Delete ${name}`}
          action={`Delete ${name}`}
          danger
          confirmName={name}
          command={() => ({ method: 'DELETE', path: origins.length === 0 ? path : `${path}?force=true` })}
          done={() => `${name} is deleted.`}
          onDone={() => setQueue(undefined)}
          onClose={onClose}
        >
          {origins.length > 0 && (
            <p>
              <strong>{`${origins.join(', ')} ${origins.length === 1 ? 'names' : 'name'} it as dead-letter queue`}</strong>
              : dead letters from there wait until a queue named {name} exists again, or another dead-letter
              queue is set.
            </p>
          )}
          <Lost counts={counts} />
          <p>
            The queue goes with its settings and its{' '}
            {info.subscriptions.length === 1 ? 'subscription' : `${info.subscriptions.length} subscriptions`};
            sends and receives are refused from then on. A queue created later under the same name is a
            different one. The record keeps the history until it is trimmed.
          </p>
        </CommandDialog>
      )
  }
}

const Lost = ({ counts }: { readonly counts: QueueCounts }) => (
  <p>
    <strong>{count(liveOf(counts))} messages are discarded</strong>: {count(counts.available)} available,{' '}
    {count(counts.inflight)} in flight, {count(counts.waitingRetry)} waiting for a retry,{' '}
    {count(counts.delayed)} delayed. A message counts once per subscription.
  </p>
)
