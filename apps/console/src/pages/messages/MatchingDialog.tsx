import { settledNone, type MatchingAct, type SettledPiece } from '@kiroku/audit/filter'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Dialog } from '../../parts/Dialog.tsx'
import { count } from '../../parts/format.ts'
import { Problem } from '../../parts/Problem.tsx'
import { ReasonField } from '../../parts/ReasonField.tsx'
import { useAnnounce } from '../../shell/Announcer.tsx'
import { countedMax, describeCount, describeStayed, doneWords, settleAll } from './matching.ts'
import dialog from '../../parts/CommandDialog.module.css'
import styles from './MessagesPage.module.css'

const acts: readonly (readonly [act: MatchingAct, what: string])[] = [
  ['discard', 'All but those in flight'],
  ['recall', 'Only delayed messages'],
]

const words: Readonly<Record<MatchingAct, string>> = { discard: 'Discard', recall: 'Recall' }

/** Discards what a filter matches: counts first, then asks, then proceeds in batches and can be stopped. */
export const MatchingDialog = ({
  where,
  onClose,
}: {
  readonly where: string
  readonly onClose: () => void
}) => {
  const [act, setAct] = useState<MatchingAct>('discard')
  const [reason, setReason] = useState('')
  const [run, setRun] = useState<{
    readonly sum: SettledPiece
    readonly isOver: boolean
    readonly error?: unknown
  }>()
  const isStopped = useRef(false)
  const announce = useAnnounce()
  const queries = useQueryClient()
  const counted = useQuery({
    queryKey: ['matching', act, where],
    queryFn: () =>
      settleAll(
        act,
        { where, dryRun: true },
        { onPiece: () => {}, goesOn: ({ matched }) => matched < countedMax },
      ),
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  })
  const able = counted.data?.sum.done ?? 0
  const start = async (): Promise<void> => {
    isStopped.current = false
    setRun({ sum: settledNone, isOver: false })
    let last = settledNone
    try {
      await settleAll(
        act,
        { where, dryRun: false, reason },
        {
          onPiece: (sum) => {
            last = sum
            setRun({ sum, isOver: false })
          },
          goesOn: () => !isStopped.current,
        },
      )
      setRun({ sum: last, isOver: true })
    } catch (error) {
      setRun({ sum: last, isOver: true, error })
    }
    announce(`${count(last.done)} ${doneWords[act]}.`)
    void queries.invalidateQueries()
  }
  const close = (): void => {
    isStopped.current = true
    onClose()
  }
  return (
    <Dialog title="Discard what matches" onClose={close}>
      <form
        className={dialog['form']}
        onSubmit={(event) => {
          event.preventDefault()
          if (run === undefined && able > 0) void start()
        }}
      >
        <p>
          <code className={styles['filter']}>{where}</code>
        </p>
        {run === undefined ? (
          <>
            <fieldset className={styles['what']}>
              <legend>Which of them</legend>
              {acts.map(([each, what]) => (
                <label key={each}>
                  <input type="radio" name="act" checked={act === each} onChange={() => setAct(each)} />
                  {what}
                </label>
              ))}
            </fieldset>
            <div className={styles['count']} role="status">
              {counted.error !== null ? (
                <Problem error={counted.error} />
              ) : counted.data === undefined ? (
                <p className="quiet">Counting…</p>
              ) : (
                <>
                  <p>
                    <strong>{describeCount(act, counted.data.sum, counted.data.isAll)}</strong>
                  </p>
                  <Stayed sum={counted.data.sum} />
                </>
              )}
            </div>
            <p className="quiet">
              Discarded messages are gone for good and go to no dead-letter queue; the record keeps their
              history. Messages that change after the count are left alone.
            </p>
            <ReasonField value={reason} onChange={setReason} />
          </>
        ) : (
          <div className={styles['count']} role="status">
            <progress
              max={Math.max(1, able)}
              value={
                run.isOver && run.error === undefined && !isStopped.current ? Math.max(1, able) : run.sum.done
              }
              aria-label="Progress"
            />
            <p>
              <strong>
                {count(run.sum.done)} {doneWords[act]}
                {run.isOver ? '.' : '…'}
              </strong>
            </p>
            <Stayed sum={run.sum} />
            {run.error !== undefined && <Problem error={run.error} />}
            {run.isOver && isStopped.current && <p>Stopped. The rest stays.</p>}
          </div>
        )}
        <div className={dialog['buttons']}>
          {run === undefined ? (
            <>
              <button type="button" className="button" onClick={close}>
                Cancel
              </button>
              <button type="submit" className="button strong danger" disabled={able === 0}>
                {words[act]} {able === 0 ? '' : `${count(able)} ${able === 1 ? 'message' : 'messages'}`}
              </button>
            </>
          ) : run.isOver ? (
            <button type="button" className="button strong" onClick={close}>
              Close
            </button>
          ) : (
            <button
              type="button"
              className="button"
              onClick={() => {
                isStopped.current = true
              }}
            >
              Stop
            </button>
          )}
        </div>
      </form>
    </Dialog>
  )
}

const Stayed = ({ sum: { stayed } }: { readonly sum: SettledPiece }) => (
  <ul>
    {describeStayed(stayed).map((sentence) => (
      <li key={sentence}>{sentence}.</li>
    ))}
  </ul>
)
