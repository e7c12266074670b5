import { useState } from 'react'
import type { QueueInfo } from '../../data/queueInfos.ts'
import { CommandDialog } from '../../parts/CommandDialog.tsx'
import styles from './SettingFields.module.css'
import { startOf, type Start } from './start.ts'
import { StartFields } from './StartFields.tsx'

/** Creates a subscription: one more group of consumers that gets the messages of a queue. */
export const CreateSubscriptionDialog = ({
  info: { name: queue, subscriptions },
  onClose,
}: {
  readonly info: QueueInfo
  readonly onClose: () => void
}) => {
  const [name, setName] = useState('')
  const [tags, setTags] = useState('')
  const [start, setStart] = useState<Start>({ kind: 'latest', text: '' })
  const position = startOf(start)
  const wanted = tags.split(/[\s,]+/).filter((tag) => tag !== '')
  const isTaken = subscriptions.some((each) => each.name === name)
  return (
    <CommandDialog<{ readonly created: boolean }>
      title={`Create a subscription of ${queue}`}
      action="Create subscription"
      isReady={name !== '' && !isTaken && position !== undefined}
      command={() => ({
        method: 'POST',
        path: `/v1/queues/${encodeURIComponent(queue)}/subscriptions`,
        body: { name, start: position, ...(wanted.length === 0 ? {} : { settings: { tags: wanted } }) },
      })}
      done={() => `${queue} has a subscription ${name}.`}
      onClose={onClose}
    >
      <div className={styles['fields']}>
        <div className={styles['field']}>
          <label htmlFor="subscription-name">name</label>
          <input
            id="subscription-name"
            className="field"
            value={name}
            autoComplete="off"
            aria-invalid={isTaken}
            onChange={(event) => setName(event.target.value)}
          />
          {isTaken && <p className={styles['error']}>There is a subscription of that name already.</p>}
        </div>
        <div className={styles['field']}>
          <label htmlFor="subscription-tags">only with one of these tags</label>
          <input
            id="subscription-tags"
            className="field"
            value={tags}
            autoComplete="off"
            placeholder="all messages"
            onChange={(event) => setTags(event.target.value)}
          />
        </div>
      </div>
      <StartFields start={start} onChange={setStart} />
      <p>
        It gets its own copy of every message, with the settings of the queue; the other{' '}
        {subscriptions.length === 1 ? 'subscription goes' : `${subscriptions.length} subscriptions go`} on as
        before. A message leaves the queue when it is final for all of them, so an unread one holds everything
        until retention ends.
      </p>
    </CommandDialog>
  )
}
