import { useEffect } from 'react'
import { useMoment } from '../../data/moment.ts'
import { usePageSearch } from '../../data/pageSearch.ts'
import { useLogInfo } from '../../data/queueInfos.ts'
import { Advice, Code } from '../../parts/Advice.tsx'
import { Figure, Figures } from '../../parts/Figures.tsx'
import { count, rate, shortCount } from '../../parts/format.ts'
import { MissingNotes } from '../../parts/MissingNotes.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { useAnnounce } from '../../shell/Announcer.tsx'
import { Time } from '../../parts/When.tsx'
import { MoveList } from './MoveList.tsx'
import { NodeList } from './NodeList.tsx'
import { PartitionGrid } from './PartitionGrid.tsx'
import { ServerList } from './ServerList.tsx'
import { PartitionTable } from './PartitionTable.tsx'
import { adviceOf, storageAdviceOf, viewsNow, viewsThen, type PartitionView } from './partitionViews.ts'
import { useCluster } from './useCluster.ts'
import styles from './ClusterPage.module.css'

const noViews: readonly PartitionView[] = []

/** Which node serves which partition, the position of each, and what moved. */
export const ClusterPage = () => {
  const { at } = useMoment()
  const { search, setSearch } = usePageSearch()
  const announce = useAnnounce()
  const isPast = at !== undefined
  const { watched, error, refetch } = useCluster(isPast)
  const log = useLogInfo()
  const { last, before, moves } = watched
  const views = isPast
    ? log.data?.partitions === undefined
      ? noViews
      : viewsThen(log.data)
    : last === undefined
      ? noViews
      : viewsNow(last, before, log.data)
  const problem = isPast ? log.error : error
  const advice = isPast ? [] : [...storageAdviceOf(views), ...views.flatMap((view) => adviceOf(view) ?? [])]
  const isTable = search['view'] === 'table'
  const moved = moves[0]?.at
  useEffect(() => {
    if (moved === undefined) return
    const partitions = moves.filter((move) => move.at === moved).map(({ partition }) => partition)
    announce(`Moved: ${partitions.length === 1 ? 'partition' : 'partitions'} ${partitions.join(', ')}.`)
  }, [moved, moves, announce])
  return (
    <div className="page">
      <header className="page-head">
        <h1>Cluster</h1>
        <div className="row end" role="group" aria-label="How partitions are shown">
          {(['grid', 'table'] as const).map((view) => (
            <button
              key={view}
              type="button"
              className={`button small ${styles['view']}`}
              aria-pressed={isTable === (view === 'table')}
              onClick={() => setSearch({ view: view === 'table' ? view : undefined })}
            >
              {view === 'grid' ? 'Grid' : 'Table'}
            </button>
          ))}
        </div>
      </header>
      {views.length > 0 && <Summary views={views} nodes={isPast ? undefined : last?.cluster.nodes.length} />}
      {problem !== null && (
        <Problem error={problem} retry={() => void (isPast ? log.refetch() : refetch())} />
      )}
      {problem !== null && !isPast && last !== undefined && (
        <p className={styles['stale']}>
          Last known state, as of <Time at={last.at} />.
        </p>
      )}
      {advice.map((text) => (
        <Advice key={text}>
          <Code text={text} />
        </Advice>
      ))}
      {isPast && <MissingNotes missing={log.data?.missing} />}
      {views.length === 0 && problem === null && <p className="quiet">Loading…</p>}
      {views.length > 0 && (isTable ? <PartitionTable views={views} /> : <PartitionGrid views={views} />)}
      {!isPast && last !== undefined && (
        <div className={styles['halves']}>
          <NodeList cluster={last.cluster} />
          <ServerList partitions={last.cluster.partitions} />
          <MoveList moves={moves} />
        </div>
      )}
    </div>
  )
}

/** First whether everything is served, then the totals. */
const Summary = ({
  views,
  nodes,
}: {
  readonly views: readonly PartitionView[]
  /** Absent in the past. */
  readonly nodes: number | undefined
}) => {
  const well = views.filter(({ health }) => health === 'well').length
  const sum = (of: (view: PartitionView) => number | undefined): number | undefined =>
    views.some((view) => of(view) !== undefined)
      ? views.reduce((all, view) => all + (of(view) ?? 0), 0)
      : undefined
  const waiting = sum(({ backlog }) => backlog)
  const appends = sum(({ appends: each }) => each)
  const behind = sum(({ auditLag }) => auditLag)
  return (
    <Figures>
      <Figure
        label={nodes === undefined ? 'Partitions' : 'Partitions active'}
        help="Partitions whose owner answers and decides, of all of the log"
        isBad={nodes !== undefined && well < views.length}
      >
        {nodes === undefined ? count(views.length) : `${count(well)} of ${count(views.length)}`}
      </Figure>
      {nodes !== undefined && (
        <Figure label="Nodes" help="Engine processes of this log">
          {count(nodes)}
        </Figure>
      )}
      {waiting !== undefined && (
        <Figure label="Active messages" help="Messages that are not final" isZero={waiting === 0}>
          {shortCount(waiting)}
        </Figure>
      )}
      {appends !== undefined && (
        <Figure label="Appended" help="Records appended per second" isZero={appends === 0}>
          {rate(appends)}
        </Figure>
      )}
      {behind !== undefined && (
        <Figure label="Auditor" help="How far behind the log the index is, in records">
          {behind === 0 ? 'up to date' : `${count(behind)} behind`}
        </Figure>
      )}
    </Figures>
  )
}
