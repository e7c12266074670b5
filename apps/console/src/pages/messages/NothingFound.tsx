import { useMoment, useScope } from '../../data/moment.ts'
import { Empty } from '../../parts/Empty.tsx'
import { QueuePicker } from '../../parts/QueuePicker.tsx'
import { SendButton } from '../../send/Sending.tsx'
import styles from './MessagesPage.module.css'
import { knownThen } from './searchText.ts'

/** With more queues than this, a picker replaces the buttons. */
const buttonsMax = 50

/** Why there are no messages to see, and how there would be some. */
export const NothingFound = ({
  filter,
  queues,
  isKnown,
  onFilter,
}: {
  readonly filter: string
  /** All there are. */
  readonly queues: readonly string[]
  /** Whether the filter can be answered for the chosen moment. */
  readonly isKnown: boolean
  readonly onFilter: (filter: string) => void
}) => {
  const { at } = useMoment()
  const { queue, setQueue } = useScope()
  if (at !== undefined && queue === undefined)
    return (
      <Empty title="Pick a queue">
        <p>Messages at a past moment are shown per queue.</p>
        <div className={`row ${styles['choices']}`}>
          {queues.length > buttonsMax ? (
            <QueuePicker />
          ) : (
            queues.map((name) => (
              <button key={name} type="button" className="button small" onClick={() => setQueue(name)}>
                {name}
              </button>
            ))
          )}
        </div>
      </Empty>
    )
  if (!isKnown)
    return (
      <Empty title="The past cannot answer this">
        <p>At a past moment the state of messages is known, but not their errors, bodies and attributes.</p>
        <div className={`row ${styles['choices']}`}>
          <button type="button" className="button" onClick={() => onFilter(knownThen(filter))}>
            Drop those conditions
          </button>
        </div>
      </Empty>
    )
  return (
    <Empty title="No messages match">
      {at !== undefined
        ? 'At a past moment, only messages that were not final are shown. Remove a condition, or pick another moment.'
        : filter === '' && queue === undefined
          ? 'The index is empty. What was sent just now appears in a moment: refresh.'
          : 'Remove a condition, or search all queues. What happened just now appears in a moment.'}
      {at === undefined && filter === '' && (
        <div className={`row ${styles['choices']}`}>
          <SendButton draft={queue === undefined ? {} : { queue }}>Send a message</SendButton>
        </div>
      )}
    </Empty>
  )
}
