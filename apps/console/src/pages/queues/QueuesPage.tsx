import { useState } from 'react'
import { useMoment, useScope } from '../../data/moment.ts'
import { useSession } from '../../data/session.ts'
import { useFeed } from '../../data/useFeed.ts'
import { CommandDialog } from '../../parts/CommandDialog.tsx'
import { DataTable, sorted, type Column, type Sorting } from '../../parts/DataTable.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { count } from '../../parts/format.ts'
import { Problem } from '../../parts/Problem.tsx'
import { Sparkline } from '../../parts/Sparkline.tsx'
import { StateMark } from '../../parts/StateMark.tsx'

interface Row {
  readonly name: string
  readonly available: number
  readonly inflight: number
  readonly sent: readonly (number | undefined)[]
}

/** All queues with what is in them. */
export const QueuesPage = () => {
  const { model, status, error } = useFeed()
  const { commands } = useSession()
  const { at } = useMoment()
  const { setQueue } = useScope()
  const [sorting, setSorting] = useState<Sorting>({ key: 'name', descending: false })
  const [pausing, setPausing] = useState<string>()
  const columns: readonly Column<Row>[] = [
    {
      key: 'name',
      head: 'Queue',
      width: 'minmax(10rem, 1fr)',
      cell: ({ name }) => name,
      sort: ({ name }) => name,
    },
    {
      key: 'available',
      head: <StateMark state="Available" />,
      width: '8rem',
      isNumber: true,
      cell: ({ available }) => count(available),
      sort: ({ available }) => available,
    },
    {
      key: 'inflight',
      head: <StateMark state="Inflight" />,
      width: '8rem',
      isNumber: true,
      cell: ({ inflight }) => count(inflight),
      sort: ({ inflight }) => inflight,
    },
    {
      key: 'in',
      head: 'Sent',
      width: '7rem',
      cell: ({ sent }) => <Sparkline values={sent} label="Messages sent" />,
    },
    {
      key: 'do',
      head: '',
      width: '5rem',
      cell: ({ name }) => (
        <button
          type="button"
          className="button small"
          disabled={!commands || at !== undefined}
          onClick={(event) => {
            event.stopPropagation()
            setPausing(name)
          }}
        >
          Pause
        </button>
      ),
    },
  ]
  const now = Date.now()
  const rows = model.queueNames().map((name): Row => {
    const { Available, Inflight } = model.population(name)
    const sent = model.series(name, 'sent', now, 60)
    return { name, available: Available, inflight: Inflight, sent }
  })
  return (
    <div className="page">
      <h1>Queues</h1>
      {status === 'lost' && error !== undefined && <Problem error={error} />}
      {model.hasSnapshot && rows.length === 0 ? (
        <Empty title="No queues yet">
          <code>kiroku queue create mail</code> makes one.
        </Empty>
      ) : (
        <DataTable
          label="Queues"
          rows={sorted(rows, columns, sorting)}
          columns={columns}
          rowKey={({ name }) => name}
          onOpen={({ name }) => setQueue(name)}
          sorting={sorting}
          onSort={setSorting}
        />
      )}
      {pausing !== undefined && (
        <CommandDialog
          title={`Pause ${pausing}`}
          action="Pause"
          command={() => ({ method: 'POST', path: `/v1/queues/${encodeURIComponent(pausing)}/pause` })}
          done={() => `${pausing} is paused.`}
          onClose={() => setPausing(undefined)}
        >
          <p>Nothing is delivered from {pausing} until somebody resumes it. Sends go on.</p>
        </CommandDialog>
      )}
    </div>
  )
}
