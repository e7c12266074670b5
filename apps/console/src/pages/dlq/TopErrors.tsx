import { Link } from '@tanstack/react-router'
import type { LetterQueue } from '../../data/letterQueues.ts'
import { useMoment } from '../../data/moment.ts'
import { count } from '../../parts/format.ts'
import { When } from '../../parts/When.tsx'
import { causeWords } from './causes.ts'
import { useTopErrors } from './useLetters.ts'
import styles from './Dlq.module.css'

/** The most frequent causes of dead letters, with links. */
export const TopErrors = ({ queues }: { readonly queues: readonly LetterQueue[] }) => {
  const { groups, isLoading, isPartial } = useTopErrors(queues)
  const { at } = useMoment()
  if (groups.length === 0)
    return isLoading ? (
      <p className="quiet" role="status">
        Loading top errors…
      </p>
    ) : null
  const most = groups[0]!.count
  return (
    <section className={styles['part']} aria-labelledby="top-errors">
      <header className="row">
        <h2 id="top-errors">Top errors</h2>
        {isPartial && <span className="quiet">of the fullest queues</span>}
      </header>
      <ol className={styles['top']}>
        {groups.map(({ queue, group, form, cause, count: n, lastAt }) => (
          <li key={`${queue} ${group}`}>
            <Link to="/dlq" search={{ queue, group, at } as never}>
              <strong className={styles['error']}>{form === '' ? causeWords(cause) : form}</strong>
              <span className="quiet">{queue}</span>
              <span className="quiet">
                <When at={lastAt} />
              </span>
              <span className="number">{count(n)}</span>
              <span className={styles['share']} style={{ ['--share' as string]: n / most }} />
            </Link>
          </li>
        ))}
      </ol>
    </section>
  )
}
