import { Link } from '@tanstack/react-router'
import { Empty } from '../../parts/Empty.tsx'
import { Time } from '../../parts/When.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { actWords } from '@kiroku/audit/event-words'
import { actKey, changeLine } from '../audit/actText.ts'
import { useActs } from '../audit/useActs.ts'
import styles from './QueueHistory.module.css'

/** Most acts listed here; the others are on the audit page. */
const shownMax = 8

/** Who changed a queue, when and why; latest first. */
export const QueueHistory = ({ name }: { readonly name: string }) => {
  const { acts, error, retry } = useActs(name, undefined)
  return (
    <section className={styles['history']} aria-labelledby="history-title">
      <header className="row">
        <h2 id="history-title">Changes</h2>
        <span className="quiet">latest first</span>
        <Link to="/audit" search={((before: object) => before) as never} className={styles['all']}>
          All on the audit page
        </Link>
      </header>
      {error !== null && <Problem error={error} retry={retry} />}
      {acts?.length === 0 && <Empty title="No changes, as far back as the record goes" />}
      <ol className={styles['acts']}>
        {acts?.slice(0, shownMax).map((act) => (
          <li key={actKey(act)}>
            <span className="quiet">
              <Time at={act.at} />
            </span>
            <div>
              <strong>{act.by.name}</strong> {actWords(act.event)}
              {act.subscription === undefined ? '' : ` ${act.subscription}`}
              <p className={styles['change']}>{changeLine(act)}</p>
              {act.by.reason !== undefined && <p className="quiet">“{act.by.reason}”</p>}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}
