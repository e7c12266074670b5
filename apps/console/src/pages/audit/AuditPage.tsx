import type { Act } from '@kiroku/audit'
import { useMemo } from 'react'
import { usePageSearch } from '../../data/pageSearch.ts'
import { DataTable } from '../../parts/DataTable.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { count } from '../../parts/format.ts'
import { Problem } from '../../parts/Problem.tsx'
import { WithPanel } from '../../parts/SidePanel.tsx'
import { useNarrow } from '../../parts/useNarrow.ts'
import { actColumns } from './actColumns.tsx'
import { ActFilters } from './ActFilters.tsx'
import { actsOf } from './actLists.ts'
import { ActPanel } from './ActPanel.tsx'
import { actKey } from './actText.ts'
import { TakeAway } from './TakeAway.tsx'
import { useActs } from './useActs.ts'
import styles from './AuditPage.module.css'

const none: readonly Act[] = []

/** Who did what, from where, why, and what it changed: all from the log. */
export const AuditPage = () => {
  const { search, setSearch } = usePageSearch()
  const isNarrow = useNarrow()
  const { queue, actor, kind, since, act: opened } = search
  const { acts, error, retry } = useActs(queue, since)
  const shown = useMemo(() => actsOf(acts ?? none, { actor, kind }), [acts, actor, kind])
  const open = shown.find((act) => actKey(act) === opened)
  const isFiltered = [queue, actor, kind, since].some((each) => each !== undefined)
  return (
    <div className="page">
      <div className="page-head">
        <h1>Audit</h1>
        {acts !== undefined && (
          <span className="quiet">
            {count(shown.length)} {shown.length === 1 ? 'act' : 'acts'}
            {isFiltered && shown.length < acts.length ? ` of ${count(acts.length)}` : ''}
          </span>
        )}
        <div className="end">
          <TakeAway acts={shown} asked={{ queue, actor, since }} />
        </div>
      </div>
      <ActFilters acts={acts ?? none} />
      {error !== null && <Problem error={error} retry={retry} />}
      {acts === undefined && error === null && (
        <p className={`quiet ${styles['reading']}`} role="status">
          Reading the record…
        </p>
      )}
      {acts !== undefined && shown.length === 0 && (
        <Empty title={isFiltered ? 'No acts match' : 'No changes yet'}>
          {isFiltered ? (
            <button
              type="button"
              className="button"
              onClick={() =>
                setSearch({ queue: undefined, actor: undefined, kind: undefined, since: undefined })
              }
            >
              Show all acts
            </button>
          ) : (
            'Everyone who creates, changes, pauses, purges or redrives a queue is listed here, with what changed and why.'
          )}
        </Empty>
      )}
      {shown.length > 0 && (
        <WithPanel
          panel={open !== undefined && <ActPanel act={open} onClose={() => setSearch({ act: undefined })} />}
        >
          <DataTable
            label="Acts"
            rows={shown}
            columns={actColumns(open !== undefined, isNarrow)}
            rowKey={actKey}
            onOpen={(act) => setSearch({ act: actKey(act) })}
            height="calc(100dvh - 13rem)"
          />
        </WithPanel>
      )}
    </div>
  )
}
