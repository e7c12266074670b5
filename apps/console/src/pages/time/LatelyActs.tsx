import type { History } from '@kiroku/audit'
import { actWords } from '@kiroku/audit/event-words'
import { Link } from '@tanstack/react-router'
import { When } from '../../parts/When.tsx'
import styles from './Lately.module.css'

/** Most acts listed here; the others are on the audit page. */
const actsMax = 6

/** The administrative acts of a span of time, if any. */
export const LatelyActs = ({ acts }: { readonly acts: History['acts'] }) => {
  if (acts.length === 0) return null
  return (
    <section className={styles['acts']} aria-labelledby="lately-acts">
      <header className="row">
        <h3 id="lately-acts">Administrative acts</h3>
        <Link to="/audit" search={((before: { at?: string }) => ({ at: before.at })) as never}>
          All on the audit page
        </Link>
      </header>
      <ol>
        {acts.slice(0, actsMax).map((act) => (
          <li key={`${act.partition}/${act.seq} ${act.event}`}>
            <span className="quiet">
              <When at={act.at} />
            </span>
            <span>
              <strong>{act.by.name}</strong> {actWords(act.event)} {act.queue}
            </span>
            {act.by.reason !== undefined && <span className="quiet">“{act.by.reason}”</span>}
          </li>
        ))}
      </ol>
    </section>
  )
}
