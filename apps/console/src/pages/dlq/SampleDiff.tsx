import { useState } from 'react'
import type { MessageBody } from '@kiroku/api/answers'
import { Problem } from '../../parts/Problem.tsx'
import { diffPayloads } from './diffPayloads.ts'
import { useMessageBody } from './useMessageBody.ts'
import styles from './Dlq.module.css'

/** How the bodies of two samples differ. */
export const SampleDiff = ({ samples }: { readonly samples: readonly string[] }) => {
  const [left, setLeft] = useState(samples[0]!)
  const [right, setRight] = useState(samples[1]!)
  const [a, b] = [useMessageBody(left), useMessageBody(right)]
  const error = a.error ?? b.error
  return (
    <section className={styles['part']}>
      <h3>Compare two messages</h3>
      <div className="row">
        <Choice label="One" value={left} samples={samples} onChange={setLeft} />
        <span className="quiet">and</span>
        <Choice label="Other" value={right} samples={samples} onChange={setRight} />
      </div>
      {error !== null && <Problem error={error} />}
      {error === null && (a.data === undefined || b.data === undefined) && (
        <p className="quiet" role="status">
          Loading…
        </p>
      )}
      {a.data !== undefined && b.data !== undefined && <Differences left={a.data} right={b.data} />}
    </section>
  )
}

const Choice = ({
  label,
  value,
  samples,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly samples: readonly string[]
  readonly onChange: (id: string) => void
}) => (
  <select
    className={`field ${styles['sample']}`}
    aria-label={label}
    value={value}
    onChange={(event) => onChange(event.target.value)}
  >
    {(samples.includes(value) ? samples : [value, ...samples]).map((id) => (
      <option key={id}>{id}</option>
    ))}
  </select>
)

const Differences = ({ left, right }: { readonly left: MessageBody; readonly right: MessageBody }) => {
  if ([left, right].some(({ hidden }) => hidden === true))
    return <p className="quiet">Bodies of this queue are hidden.</p>
  if (left.unreadable !== undefined || right.unreadable !== undefined)
    return <p className="quiet">One of them can no longer be read.</p>
  const { changes, equal } = diffPayloads(left.payload.text, right.payload.text)
  if (changes.length === 0) return <p className="quiet">Their bodies are equal.</p>
  return (
    <>
      <table className={styles['diff']}>
        <caption className="visually-hidden">Values that differ</caption>
        <thead>
          <tr>
            <th scope="col">Place</th>
            <th scope="col">One</th>
            <th scope="col">Other</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => (
            <tr key={change.path}>
              <td>{change.path}</td>
              <td>{change.left ?? <span className="quiet">absent</span>}</td>
              <td>{change.right ?? <span className="quiet">absent</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="quiet">
        {equal === 0 ? 'Nothing is equal.' : `${equal} ${equal === 1 ? 'value is' : 'values are'} the same.`}
      </p>
    </>
  )
}
