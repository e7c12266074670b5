import { importTrace } from '@kiroku/audit/trace-file'
import type { Trace } from '@kiroku/audit'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '../../data/api.ts'
import { Problem } from '../../parts/Problem.tsx'
import { MessageStory } from './MessageStory.tsx'
import { useTrace } from './useTrace.ts'
import styles from './MessagePage.module.css'

/**
 * One message: everything that happened to it, its contents, and what can happen next. Or one from a file.
 */
export const MessagePage = () => {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string }
  const trace = useTrace(id)
  const [file, setFile] = useState<{ readonly of: string; readonly trace: Trace }>()
  const [problem, setProblem] = useState<unknown>()
  const open = async (chosen: File | undefined): Promise<void> => {
    if (chosen === undefined) return
    try {
      setFile({ of: id, trace: importTrace(await chosen.text()) })
      setProblem(undefined)
    } catch (error) {
      setProblem(error)
    }
  }
  const shown = file?.of === id ? file.trace : undefined
  const choose = (
    <label className="button small">
      Open a file
      <input
        type="file"
        className="visually-hidden"
        accept=".ndjson,.jsonl,.txt"
        onChange={(event) => void open(event.target.files?.[0])}
      />
    </label>
  )
  return (
    <div
      className="page"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        void open(event.dataTransfer.files[0])
      }}
    >
      {problem !== undefined && <Problem error={problem} />}
      {shown !== undefined ? (
        <>
          <p className={styles['offline']} role="status">
            This trace is from a file; none of it was sent to the engine.{' '}
            <button type="button" className="button small" onClick={() => setFile(undefined)}>
              Back to the log
            </button>
          </p>
          <MessageStory key={shown.messageId} trace={shown} isOffline choose={choose} />
        </>
      ) : trace.data !== undefined ? (
        <MessageStory key={id} trace={trace.data} isOffline={false} choose={choose} />
      ) : trace.error !== null ? (
        <>
          <h1>Message</h1>
          <Problem
            error={trace.error}
            {...(trace.error instanceof ApiError && trace.error.retryable
              ? { retry: () => void trace.refetch() }
              : {})}
          />
          <p className="row">
            <a href={`/messages?q=${encodeURIComponent(`id:${id}`)}`}>Search for this id</a>
            {choose}
            <span className="quiet">An exported trace (ndjson) can also be dropped here.</span>
          </p>
        </>
      ) : (
        <p className="quiet" role="status">
          Reading the record of <code>{id}</code>…
        </p>
      )}
    </div>
  )
}
