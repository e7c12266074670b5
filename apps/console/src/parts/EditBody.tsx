import { useState } from 'react'
import { CommandDialog } from './CommandDialog.tsx'
import { base64OfText } from '../data/MessageBody.ts'
import { lineDiff } from './lineDiff.ts'
import { readJson } from './readJson.ts'
import styles from './EditBody.module.css'

/** Lines of the difference that are shown. */
const linesMax = 400

/** Replaces a message's body, after showing what that changes. */
export const EditBody = ({
  id,
  text,
  onClose,
}: {
  readonly id: string
  readonly text: string
  readonly onClose: () => void
}) => {
  const [next, setNext] = useState(text)
  const wasJson = readJson(text).brokenAt === undefined
  const { brokenAt } = readJson(next)
  const lines = next === text ? [] : lineDiff(text, next)
  return (
    <CommandDialog
      title="Edit the body"
      action="Replace the body"
      // As bytes: as JSON, large numbers would lose digits on their way.
      command={() => ({
        method: 'POST',
        path: `/v1/messages/${encodeURIComponent(id)}/body`,
        body: { bodyBase64: base64OfText(next) },
      })}
      isReady={next !== text}
      done={() => 'The message carries the new body from now on.'}
      onClose={onClose}
    >
      <p>
        The message keeps its id, its attributes and its place. What was sent stays on record. Consumers get
        the new body, also after a redrive.
      </p>
      <textarea
        className={`field ${styles['body']}`}
        aria-label="Body"
        spellCheck={false}
        rows={10}
        value={next}
        onChange={(event) => setNext(event.target.value)}
      />
      {wasJson && brokenAt !== undefined && (
        <p className={styles['broken']} role="status">
          No longer JSON, from character {brokenAt + 1} on.
        </p>
      )}
      {lines.length === 0 ? (
        <p className="quiet">Nothing is changed yet.</p>
      ) : (
        <pre className={styles['diff']} tabIndex={0} aria-label="What changes">
          {lines.slice(0, linesMax).map(({ kind, text: line }, i) => (
            <span key={i} data-kind={kind}>
              {kind === 'gone' ? '− ' : kind === 'new' ? '+ ' : '  '}
              {line.slice(0, 2_000)}
              {'\n'}
            </span>
          ))}
        </pre>
      )}
    </CommandDialog>
  )
}
