import { useState } from 'react'
import { liveOf, type SubscriptionInfo } from '../../data/queueInfos.ts'
import { CommandDialog } from '../../parts/CommandDialog.tsx'
import { count } from '../../parts/format.ts'
import { startOf, type Start } from './start.ts'
import { StartFields } from './StartFields.tsx'
import type { SubscriptionAct } from './SubscriptionTable.tsx'

/** Asks before a subscription is changed. */
export const SubscriptionDialog = ({
  queue,
  act,
  subscription: { name, counts },
  onClose,
}: {
  readonly queue: string
  readonly act: SubscriptionAct
  readonly subscription: SubscriptionInfo
  readonly onClose: () => void
}) => {
  const [start, setStart] = useState<Start>({ kind: 'latest', text: '' })
  const path = `/v1/queues/${encodeURIComponent(queue)}/subscriptions/${encodeURIComponent(name)}`
  const which = `subscription ${name} of ${queue}`
  switch (act) {
    case 'pause':
    case 'resume':
      return (
        <CommandDialog
          title={`${act === 'pause' ? 'Pause' : 'Resume'} ${which}`}
          action={act === 'pause' ? 'Pause' : 'Resume'}
          command={() => ({ method: 'POST', path: `${path}/${act}` })}
          done={() => `${name} is ${act}d.`}
          onClose={onClose}
        >
          <p>
            {act === 'pause'
              ? `Nothing is delivered to it until it is resumed; ${count(counts.available)} messages wait. The other subscriptions continue.`
              : `Deliveries to it resume at once: ${count(counts.available)} messages are available.`}
          </p>
        </CommandDialog>
      )
    case 'reset': {
      const position = startOf(start)
      return (
        <CommandDialog
          title={`Reset ${which}`}
          action={`Reset ${name}`}
          danger
          confirmName={name}
          isReady={position !== undefined}
          command={() => ({ method: 'POST', path: `${path}/reset`, body: { start: position } })}
          done={() => `${name} is reset.`}
          onClose={onClose}
        >
          <p>
            <strong>It forgets {count(liveOf(counts))} messages that are not final for it</strong>,{' '}
            {count(counts.inflight)} of them in flight: their receipts become invalid, and its totals begin at
            0. The other subscriptions are not affected.
          </p>
          <StartFields start={start} onChange={setStart} />
        </CommandDialog>
      )
    }
    case 'delete':
      return (
        <CommandDialog
          title={`Delete ${which}`}
          action={`Delete ${name}`}
          danger
          confirmName={name}
          command={() => ({ method: 'DELETE', path })}
          done={() => `${name} is deleted.`}
          onClose={onClose}
        >
          <p>
            <strong>{count(liveOf(counts))} messages are never delivered to it</strong>,{' '}
            {count(counts.inflight)} of them in flight: their receipts become invalid. Its consumers are
            refused from then on. The other subscriptions are not affected.
          </p>
        </CommandDialog>
      )
  }
}
