import { DataTable, type Column } from '../../parts/DataTable.tsx'
import { bytes, count, rate, shortDuration } from '../../parts/format.ts'
import { HealthMark } from './HealthMark.tsx'
import { OwnerMark } from './OwnerMark.tsx'
import { StorageMark } from './StorageMark.tsx'
import type { PartitionView } from './partitionViews.ts'

const number = (
  key: string,
  head: string,
  width: string,
  of: (view: PartitionView) => number | undefined,
  text: (n: number) => string = count,
): Column<PartitionView> => ({
  key,
  head,
  width,
  isNumber: true,
  cell: (view) => {
    const value = of(view)
    return value === undefined ? <span className="quiet">–</span> : text(value)
  },
})

const columns: readonly Column<PartitionView>[] = [
  number('partition', 'Partition', '4rem', ({ partition }) => partition),
  {
    key: 'owner',
    head: 'Owner',
    width: 'minmax(6.5rem, 1fr)',
    cell: ({ owner, health }) =>
      health === 'unreadable' ? <span className="quiet">–</span> : <OwnerMark owner={owner} />,
  },
  { key: 'health', head: 'State', width: '6rem', cell: (view) => <HealthMark view={view} /> },
  {
    key: 'pin',
    head: 'Pinned to',
    width: '6rem',
    cell: ({ pin }) =>
      pin === undefined ? (
        <span className="quiet">–</span>
      ) : (
        <span title={`by ${pin.by.name}${pin.by.reason === undefined ? '' : `: ${pin.by.reason}`}`}>
          {pin.host}
        </span>
      ),
  },
  number('epoch', 'Epoch', '4rem', ({ epoch }) => epoch),
  number('owned', 'For', '4rem', ({ ownedMs }) => ownedMs, shortDuration),
  number('queues', 'Queues', '4rem', ({ queues }) => queues),
  number('backlog', 'Waiting', '5rem', ({ backlog }) => backlog),
  number('appends', 'Appended', '4.5rem', ({ appends }) => appends, rate),
  {
    key: 'records',
    head: 'Records',
    width: '7rem',
    isNumber: true,
    cell: ({ firstSeq, lastSeq }) =>
      lastSeq === undefined ? '–' : `${firstSeq === undefined ? '…' : count(firstSeq)} – ${count(lastSeq)}`,
  },
  number('replay', 'To replay', '4.5rem', ({ lastSeq, checkpointSeq }) =>
    lastSeq === undefined || checkpointSeq === undefined ? undefined : lastSeq - checkpointSeq,
  ),
  number('bytes', 'Log', '4.75rem', ({ bytes }) => bytes, bytes),
  number('room', 'Room', '4.75rem', ({ storage }) => storage?.freeBytes, bytes),
  number('reserve', 'Reserve', '4.75rem', ({ storage }) => storage?.reserveBytes, bytes),
  number('early', 'Early trims', '4.5rem', ({ storage }) => storage?.earlyTrims),
  {
    key: 'store',
    head: 'Store',
    width: '9.5rem',
    cell: ({ storage }) =>
      storage === undefined ? <span className="quiet">–</span> : <StorageMark storage={storage} />,
  },
  number('outbox', 'Outbox', '4rem', ({ outbox }) => outbox),
  number('audit', 'Unaudited', '4.5rem', ({ auditLag }) => auditLag),
]

/** The partitions in numbers; nothing that the grid shows is missing here. A take-over replays what no checkpoint has. */
export const PartitionTable = ({ views }: { readonly views: readonly PartitionView[] }) => (
  <DataTable
    label="Partitions"
    rows={views}
    columns={columns}
    rowKey={({ partition }) => String(partition)}
  />
)
