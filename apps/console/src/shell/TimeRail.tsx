import { useMoment } from '../data/moment.ts'
import styles from './TimeRail.module.css'

/** The moment that is looked at; on every page. */
export const TimeRail = () => {
  const { at, setAt } = useMoment()
  if (at === undefined) return null
  return (
    <div className={styles['past']} role="status">
      <strong>Viewing {at}</strong>
      <span>Commands rest while you look at the past.</span>
      <button type="button" className="button small" onClick={() => setAt(undefined)}>
        Back to now
      </button>
    </div>
  )
}
