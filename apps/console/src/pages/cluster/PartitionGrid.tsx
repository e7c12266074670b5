import { bytes, duration, rate, shortCount } from '../../parts/format.ts'
import { HealthMark } from './HealthMark.tsx'
import { OwnerMark } from './OwnerMark.tsx'
import type { PartitionView } from './partitionViews.ts'
import { StorageMark } from './StorageMark.tsx'
import styles from './PartitionGrid.module.css'

/** The partitions side by side: their owners, and what waits in them. */
export const PartitionGrid = ({ views }: { readonly views: readonly PartitionView[] }) => {
  const most = Math.max(1, ...views.map(({ backlog = 0 }) => backlog))
  return (
    <ul className={styles['grid']} aria-label="Partitions">
      {views.map((view) => (
        <li key={view.partition} className={`card ${styles['tile']}`} data-health={view.health}>
          <div className={styles['head']}>
            <strong>
              <span className="visually-hidden">Partition </span>
              {view.partition}
            </strong>
            <HealthMark view={view} />
          </div>
          {view.health !== 'unreadable' && <OwnerMark owner={view.owner} />}
          {view.backlog !== undefined && (
            <div>
              <div className={styles['bar']} aria-hidden="true">
                <i style={{ width: `${shareOf(view.backlog, most)}%` }} />
              </div>
              {shortCount(view.backlog)} waiting
            </div>
          )}
          {view.storage !== undefined && view.storage.state !== 'enough' && (
            <StorageMark storage={view.storage} />
          )}
          <p className={styles['small']}>
            {[
              view.pin === undefined ? '' : `pinned to ${view.pin.host}`,
              view.epoch === undefined ? '' : `epoch ${view.epoch}`,
              view.ownedMs === undefined ? '' : `for ${coarse(view.ownedMs)}`,
              view.appends === undefined ? '' : `${rate(view.appends)} appended`,
              view.bytes === undefined ? '' : bytes(view.bytes),
              view.storage?.freeBytes === undefined ? '' : `room for ${bytes(view.storage.freeBytes)}`,
            ]
              .filter((text) => text !== '')
              .join(' · ')}
          </p>
        </li>
      ))}
    </ul>
  )
}

/** Whole seconds: less of it would only flicker. */
const coarse = (ms: number): string => duration(Math.max(1_000, Math.floor(ms / 1_000) * 1_000))

/** By its logarithm, so that ten is still visible next to a million. */
const shareOf = (backlog: number, most: number): number =>
  Math.round((Math.log1p(backlog) / Math.log1p(most)) * 100)
