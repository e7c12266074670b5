import { useState } from 'react'
import { useScope } from '../data/moment.ts'
import { useLogInfo } from '../data/queueInfos.ts'
import styles from './QueuePicker.module.css'

/** With more names than this, one is typed with completion rather than picked from a list. */
const listedMax = 200

/** Picks a queue, or all. */
export const QueuePicker = () => {
  const { queue, setQueue } = useScope()
  const { data } = useLogInfo()
  const [text, setText] = useState<string>()
  const known = data?.queues.map(({ name }) => name) ?? []
  // Also one that is gone by now, or not yet there.
  const names = queue === undefined || known.includes(queue) ? known : [queue, ...known]
  const pick = (name: string): void => setQueue(name === '' ? undefined : name)
  return (
    <label className={styles['picker']}>
      Queue
      {names.length <= listedMax ? (
        <select className="field" value={queue ?? ''} onChange={({ target }) => pick(target.value)}>
          <option value="">All queues</option>
          {names.toSorted().map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      ) : (
        <>
          <input
            className="field"
            type="search"
            list="picked-queues"
            placeholder="All queues"
            value={text ?? queue ?? ''}
            onChange={({ target: { value } }) => {
              setText(value)
              if (value === '' || names.includes(value)) pick(value)
            }}
            onBlur={() => setText(undefined)}
          />
          <datalist id="picked-queues">
            {names.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      )}
    </label>
  )
}
