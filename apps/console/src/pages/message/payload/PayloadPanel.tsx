import { useQuery } from '@tanstack/react-query'
import { useMemo, useState, type ReactNode } from 'react'
import type { MessageBody } from '@kiroku/api/answers'
import { bodyQuery, bytesOfBase64 } from '../../../data/MessageBody.ts'
import { roleOf } from '../../../data/roleOf.ts'
import { useSession } from '../../../data/session.ts'
import { CopyButton } from '../../../parts/CopyButton.tsx'
import { EditBody } from '../../../parts/EditBody.tsx'
import { bytes as sizeText } from '../../../parts/format.ts'
import { Problem } from '../../../parts/Problem.tsx'
import { readJson } from '../../../parts/readJson.ts'
import { saveFile } from '../../../parts/saveFile.ts'
import { Time } from '../../../parts/When.tsx'
import { JsonTree } from './JsonTree.tsx'
import { HexView, TextView } from './PlainView.tsx'
import styles from './PayloadPanel.module.css'

const gone: Readonly<Record<string, string>> = {
  erased: 'The body was erased: its key was deleted, and it cannot be recovered.',
  lost: 'The body is lost: its key is missing. `kiroku doctor` says more.',
  trimmed: 'The record begins after this body: it is older than what the log keeps.',
}

/** What a message carries; a hidden body is fetched again on request. */
export const useBody = (id: string, isOffline: boolean) => {
  const [isRevealed, setRevealed] = useState(false)
  const query = useQuery({ ...bodyQuery(id, isRevealed), enabled: !isOffline })
  return { ...query, reveal: () => setRevealed(true) }
}

/** The body of a message and its attributes. */
export const PayloadPanel = ({
  id,
  queue,
  body,
  canEdit,
}: {
  readonly id: string
  /** Where the message is. */
  readonly queue: string | undefined
  readonly body: ReturnType<typeof useBody>
  readonly canEdit: boolean
}) => {
  const [view, setView] = useState<'tree' | 'text'>('tree')
  const [isEditing, setEditing] = useState(false)
  const { data, error, reveal } = body
  const session = useSession()
  const payload = data?.payload
  const json = useMemo(
    () =>
      payload === undefined || payload.isBase64 || payload.text === '' ? undefined : readJson(payload.text),
    [payload],
  )
  if (error !== null) return <Problem error={error} retry={() => void body.refetch()} />
  if (data === undefined || payload === undefined) return <p className="quiet">Reading the body…</p>
  const isJson = json !== undefined && json.kinds.length > 0 && (json.brokenAt === undefined || payload.isCut)
  const isHidden = data.hidden === true
  return (
    <section className={styles['panel']} aria-labelledby="payload">
      <header className="row">
        <h2 id="payload">Payload</h2>
        <span className="quiet">
          {sizeText(payload.bytes)}
          {payload.contentType === undefined ? '' : ` · ${payload.contentType}`}
        </span>
        {!isHidden && data.unreadable === undefined && (
          <div className={`row ${styles['end']}`}>
            {isJson && (
              <button
                type="button"
                className="button small"
                aria-pressed={view === 'text'}
                onClick={() => setView(view === 'tree' ? 'text' : 'tree')}
              >
                {view === 'tree' ? 'As text' : 'As tree'}
              </button>
            )}
            <CopyButton text={payload.text}>Copy</CopyButton>
            <button
              type="button"
              className="button small"
              onClick={() =>
                saveFile(
                  `${id}${isJson ? '.json' : payload.isBase64 ? '.bin' : '.txt'}`,
                  payload.isBase64 ? bytesOfBase64(payload.text) : payload.text,
                  'application/octet-stream',
                )
              }
            >
              {payload.isCut ? 'Download what is shown' : 'Download'}
            </button>
            <button
              type="button"
              className="button small"
              disabled={!canEdit || payload.isBase64 || payload.isCut}
              onClick={() => setEditing(true)}
            >
              Edit…
            </button>
          </div>
        )}
      </header>
      {data.unreadable !== undefined ? (
        <p className={styles['note']}>{gone[data.unreadable]}</p>
      ) : isHidden ? (
        <div className={styles['note']}>
          <p>Bodies are hidden here. The engine's log records who reveals one.</p>
          {roleOf(session, queue) === 'viewer' ? (
            <p>Your role may not reveal them.</p>
          ) : (
            <button type="button" className="button" onClick={reveal}>
              Reveal the body
            </button>
          )}
        </div>
      ) : payload.bytes === 0 ? (
        <p className={styles['note']}>The body is empty.</p>
      ) : payload.isBase64 ? (
        <HexView base64={payload.text} />
      ) : isJson && view === 'tree' ? (
        <JsonTree key={payload.text.length} json={json} />
      ) : (
        <TextView text={payload.text} />
      )}
      {payload.isCut && (
        <p className="quiet">Only the beginning is shown: the body is {sizeText(payload.bytes)} long.</p>
      )}
      {json?.isCut === true && view === 'tree' && (
        <p className="quiet">There are more values than the tree shows; the text has all of them.</p>
      )}
      <Headers body={data} />
      {isEditing && <EditBody id={id} text={payload.text} onClose={() => setEditing(false)} />}
    </section>
  )
}

/** Headers and attributes. */
const Headers = ({ body }: { readonly body: MessageBody }) => {
  const rows: (readonly [string, ReactNode])[] = [
    ['Tag', body.tag],
    ['Group', body.group],
    ['Deduplication id', body.dedupId],
    ['Sent', body.enqueuedAt === undefined ? undefined : <Time key="sent" at={body.enqueuedAt} />],
    ...Object.entries(body.attributes),
  ]
  const given = rows.filter(([, value]) => value !== undefined && value !== '')
  if (given.length === 0) return null
  return (
    <dl className={styles['headers']} aria-label="Headers and attributes">
      {given.map(([name, value], i) => (
        <div key={i}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
