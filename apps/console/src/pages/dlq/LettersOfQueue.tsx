import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useMoment, useScope } from '../../data/moment.ts'
import { usePageSearch } from '../../data/pageSearch.ts'
import { useLogInfo } from '../../data/queueInfos.ts'
import { useRedrives } from '../../data/redrives.ts'
import { useSession } from '../../data/session.ts'
import { Empty } from '../../parts/Empty.tsx'
import { count } from '../../parts/format.ts'
import { Problem } from '../../parts/Problem.tsx'
import { WithPanel } from '../../parts/SidePanel.tsx'
import { GroupPanel } from './GroupPanel.tsx'
import { GroupTable } from './GroupTable.tsx'
import { letterQueuesOf } from '../../data/letterQueues.ts'
import { RedriveDialog } from './RedriveDialog.tsx'
import { RedriveHistory } from './RedriveHistory.tsx'
import { RunningRedrive } from './RunningRedrive.tsx'
import { useLetters } from './useLetters.ts'
import { whyNoCommands } from './whyNoCommands.ts'
import styles from './Dlq.module.css'

/** One queue: its dead letters by cause and kind of error, the running redrive, and earlier ones. */
export const LettersOfQueue = ({ queue }: { readonly queue: string }) => {
  const { at } = useMoment()
  const { setQueue } = useScope()
  const session = useSession()
  const { search, setSearch } = usePageSearch()
  const known = useLogInfo()
  const [isAsked, setAsked] = useState(false)
  const named = known.data === undefined ? undefined : letterQueuesOf(known.data.queues)
  const isLetterQueue = named?.some(({ name }) => name === queue)
  const shows = isLetterQueue === true || isAsked
  const letters = useLetters(shows ? queue : undefined)
  const redrives = useRedrives(queue, at !== undefined)
  const running = redrives.data?.filter(({ state }) => state === 'running') ?? []
  const info = known.data?.queues.find(({ name }) => name === queue)
  const why = whyNoCommands({
    isPast: at !== undefined,
    session,
    queue,
    isRunning: running.some(({ subscription }) => subscription === 'main'),
    letters: letters.data?.count,
  })
  const group = letters.data?.groups.find((each) => each.group === search['group'])
  const error = known.error ?? letters.error ?? redrives.error
  return (
    <div className="page">
      <div className="page-head">
        <div>
          <button type="button" className={styles['back']} onClick={() => setQueue(undefined)}>
            ← All dead-letter queues
          </button>
          <h1>{queue}</h1>
        </div>
        {letters.data !== undefined && (
          <span className="quiet">
            {count(letters.data.count)} {letters.data.count === 1 ? 'message' : 'messages'} of{' '}
            {count(letters.data.groups.length)} {letters.data.groups.length === 1 ? 'kind' : 'kinds'}
          </span>
        )}
        <div className={`end ${styles['do']}`}>
          {why !== undefined && shows && <span className="quiet">{why}</span>}
          {shows && (
            <button
              type="button"
              className="button strong"
              disabled={why !== undefined}
              onClick={() => setSearch({ redrive: 'all' })}
            >
              Redrive…
            </button>
          )}
        </div>
      </div>
      {error !== null && <Problem error={error} retry={() => void letters.refetch()} />}
      {running.map((redrive) => (
        <RunningRedrive key={redrive.task} redrive={redrive} mayCancel={session.commands} />
      ))}
      {isLetterQueue === false && !isAsked && (
        <NoLetterQueue
          queue={queue}
          goesTo={info?.config.deadLetter?.name}
          onLook={() => setAsked(true)}
          onGo={setQueue}
        />
      )}
      {shows && letters.data === undefined && letters.error === null && (
        <p className="quiet" role="status">
          Loading dead letters…
        </p>
      )}
      {letters.data?.count === 0 && (
        <Empty title={at === undefined ? 'No dead letters' : 'No dead letters then'}>
          Messages that run out of retries come here, with what went wrong.
        </Empty>
      )}
      {letters.data !== undefined && letters.data.count > 0 && (
        <WithPanel
          panel={
            group !== undefined && (
              <GroupPanel
                key={group.group}
                queue={queue}
                group={group}
                why={why}
                onClose={() => setSearch({ group: undefined })}
              />
            )
          }
        >
          <GroupTable
            groups={letters.data.groups}
            isOpen={group !== undefined}
            onOpen={({ group: name }) => setSearch({ group: name })}
          />
        </WithPanel>
      )}
      {at === undefined && (redrives.data?.length ?? 0) > running.length && (
        <RedriveHistory redrives={redrives.data!.filter(({ state }) => state !== 'running')} />
      )}
      {shows && (
        <p className="quiet">
          <Link
            to="/audit"
            search={{ queue, ...(at === undefined ? {} : { at }), kind: 'RedriveStarted' } as never}
          >
            All redrives on record
          </Link>
        </p>
      )}
      {search['redrive'] !== undefined && why === undefined && letters.data !== undefined && (
        <RedriveDialog
          queue={queue}
          letters={letters.data.count}
          groups={letters.data.groups}
          queues={known.data?.queues ?? []}
        />
      )}
    </div>
  )
}

const NoLetterQueue = ({
  queue,
  goesTo,
  onLook,
  onGo,
}: {
  readonly queue: string
  readonly goesTo: string | undefined
  readonly onLook: () => void
  readonly onGo: (queue: string) => void
}) => (
  <Empty title={`${queue} is not a dead-letter queue`}>
    <p>
      {goesTo === undefined
        ? 'It has none either: messages that run out of retries are discarded.'
        : `Its dead letters go to ${goesTo}.`}
    </p>
    <div className={styles['choices']}>
      {goesTo !== undefined && (
        <button type="button" className="button strong" onClick={() => onGo(goesTo)}>
          Open {goesTo}
        </button>
      )}
      <button type="button" className="button" onClick={onLook}>
        Show messages in {queue}
      </button>
    </div>
  </Empty>
)
