import type { Act } from '@kiroku/audit'
import { Link } from '@tanstack/react-router'
import { SidePanel } from '../../parts/SidePanel.tsx'
import { Time } from '../../parts/When.tsx'
import { actWords } from '@kiroku/audit/event-words'
import { actKey, changesOf, momentsAround } from './actText.ts'
import styles from './AuditPage.module.css'

/** One act in full: everything it changed, and links to just before and just after it. */
export const ActPanel = ({ act, onClose }: { readonly act: Act; readonly onClose: () => void }) => {
  const changes = changesOf(act)
  const where = act.queue === '' ? `partition ${act.partition}` : act.queue
  const title = `${act.by.name} ${actWords(act.event)}`
  return (
    <SidePanel title={title} name={`${title}, ${actKey(act)}`} onClose={onClose}>
      {act.by.reason !== undefined && <p className={styles['why']}>{act.by.reason}</p>}
      <dl className={styles['facts']}>
        <dt>When</dt>
        <dd>
          <Time at={act.at} form="exact" />
        </dd>
        <dt>{act.queue === '' ? 'Where' : 'Queue'}</dt>
        <dd>
          {where}
          {act.subscription !== undefined && ` / ${act.subscription}`}
        </dd>
        <dt>From</dt>
        <dd>{act.by.origin}</dd>
        <dt>On record</dt>
        <dd className="mono">
          {act.event} #{act.partition}/{act.seq}
        </dd>
      </dl>
      <Around act={act} />
      {changes.length > 0 && (
        <table className={styles['changes']}>
          <caption className="visually-hidden">What it changed</caption>
          <thead>
            <tr>
              <th scope="col">Changed</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ key, name, before, after }) => (
              <tr key={key}>
                <td>{name}</td>
                <td>{before === '' ? '–' : before}</td>
                <td>{after === '' ? '–' : after}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <details>
        <summary>As recorded</summary>
        <pre className={styles['raw']} tabIndex={0}>
          {JSON.stringify(act, undefined, 2)}
        </pre>
      </details>
    </SidePanel>
  )
}

const Around = ({ act }: { readonly act: Act }) => {
  const { before, after } = momentsAround(act)
  const of = act.queue === '' ? {} : { queue: act.queue }
  return (
    <div className="row">
      <Link className="button small" to="/queues" search={{ ...of, at: before } as never}>
        Go to just before
      </Link>
      <Link className="button small" to="/queues" search={{ ...of, at: after } as never}>
        Go to just after
      </Link>
    </div>
  )
}
