import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useMoment } from '../../data/moment.ts'
import { usePageSearch } from '../../data/pageSearch.ts'
import { CopyButton } from '../../parts/CopyButton.tsx'
import { EditLetter } from './EditLetter.tsx'
import { bytes, count } from '../../parts/format.ts'
import { Time } from '../../parts/When.tsx'
import { SidePanel } from '../../parts/SidePanel.tsx'
import { adviceFor, causeWords } from './causes.ts'
import { SampleDiff } from './SampleDiff.tsx'
import { Story } from './Story.tsx'
import type { LetterGroup } from './useLetters.ts'
import styles from './Dlq.module.css'

/** One group: what happened, what its messages look like and differ in, and what to do next. */
export const GroupPanel = ({
  queue,
  group,
  why,
  onClose,
}: {
  readonly queue: string
  readonly group: LetterGroup
  /** Why nothing can be redriven; absent: it can. */
  readonly why: string | undefined
  readonly onClose: () => void
}) => {
  const { setSearch } = usePageSearch()
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [editing, setEditing] = useState<string>()
  const toggle = (id: string): void =>
    setChosen(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id])
  const { samples, payload } = group
  return (
    <SidePanel
      title={group.form === '' ? causeWords(group.cause) : group.form}
      name={`Group ${group.group}`}
      onClose={onClose}
    >
      <p>
        {count(group.count)} {group.count === 1 ? 'message' : 'messages'}: {causeWords(group.cause)}. First{' '}
        <Time at={group.firstAt} />, last <Time at={group.lastAt} />.
        {group.error !== '' && group.error !== group.form && (
          <>
            {' '}
            Latest: <q>{group.error}</q>
          </>
        )}
      </p>
      <section className={styles['part']}>
        <h3>What to do next</h3>
        <ul className={styles['advice']}>
          {adviceFor(group).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        <div className="row">
          <button
            type="button"
            className="button strong"
            disabled={why !== undefined}
            onClick={() => setSearch({ redrive: 'group' })}
          >
            Redrive this group…
          </button>
          <CopyButton text={`kiroku dlq explain ${queue} --group ${group.group}`}>Copy as command</CopyButton>
        </div>
        {why !== undefined && why !== '' && <p className="quiet">{why}</p>}
      </section>
      <section className={styles['part']}>
        <h3>Latest</h3>
        <ul className={styles['samples']}>
          {samples.map((id) => (
            <li key={id}>
              <label>
                <input
                  type="checkbox"
                  checked={chosen.includes(id)}
                  disabled={why !== undefined}
                  onChange={() => toggle(id)}
                  aria-label={`Choose ${id}`}
                />
              </label>
              <MessageLink id={id} />
              <button
                type="button"
                className="button small"
                disabled={why !== undefined}
                onClick={() => setEditing(id)}
                aria-label={`Edit the body of ${id}`}
              >
                Edit…
              </button>
            </li>
          ))}
        </ul>
        {chosen.length > 0 && (
          <button
            type="button"
            className="button"
            onClick={() => setSearch({ redrive: 'messages', messages: chosen.join(',') })}
          >
            Redrive {chosen.length === 1 ? 'this one' : `these ${chosen.length}`}…
          </button>
        )}
      </section>
      <section className={styles['part']}>
        <h3>
          Latest payload{' '}
          <span className="quiet">
            {payload.contentType ?? ''} {bytes(payload.bytes)}
          </span>
        </h3>
        {group.hidden === true ? (
          <p className="quiet">Bodies of this queue are hidden; the page of a message can reveal one.</p>
        ) : (
          <pre className={styles['body']} tabIndex={0} aria-label="Latest payload">
            {payload.isBase64 ? `base64 ${payload.text}` : payload.text}
            {payload.isCut && '…'}
          </pre>
        )}
        {payload.isCut && group.hidden !== true && samples[0] !== undefined && (
          <p>
            <MessageLink id={samples[0]}>See all of it</MessageLink>
          </p>
        )}
      </section>
      {samples.length > 1 && <SampleDiff samples={samples} />}
      {samples[0] !== undefined && <Story id={samples[0]} />}
      {editing !== undefined && <EditLetter id={editing} onClose={() => setEditing(undefined)} />}
    </SidePanel>
  )
}

const MessageLink = ({ id, children = id }: { readonly id: string; readonly children?: string }) => {
  const { at } = useMoment()
  return (
    <Link
      className={children === id ? 'mono' : ''}
      to="/messages/$id"
      params={{ id } as never}
      search={(at === undefined ? {} : { at }) as never}
    >
      {children}
    </Link>
  )
}
