import type { Cluster } from './Cluster.ts'
import { leaderless, serversOf, standOf, type Server } from './serversOf.ts'
import styles from './NodeList.module.css'

/** The NATS servers that keep the partitions' streams: what each leads, and how its copies of the others are. */
export const ServerList = ({ partitions }: Pick<Cluster, 'partitions'>) => {
  const servers = serversOf(partitions)
  const without = leaderless(partitions)
  if (servers.length === 0 && without.length === 0) return null
  return (
    <section className={styles['nodes']} aria-labelledby="servers-title">
      <h2 id="servers-title">NATS servers</h2>
      {without.length > 0 && (
        <p className={styles['state']} data-state="gone">
          {named(without)} without a leader: nothing can be appended there until its servers agree on one.
        </p>
      )}
      <ul>
        {servers.map((server) => (
          <li key={server.name} className={styles['node']}>
            <strong>{server.name}</strong>
            <span>{server.leads.length === 0 ? 'leads no stream' : `leads ${named(server.leads)}`}</span>
            <Copies server={server} />
          </li>
        ))}
      </ul>
      {servers.every(({ copies }) => copies.length === 0) && (
        <p className={styles['one']}>Each stream is kept once: there are no replicas, and so no lag.</p>
      )}
    </section>
  )
}

const Copies = ({ server: { copies } }: { readonly server: Server }) => {
  const late = copies.filter((copy) => standOf(copy) !== 'current')
  const isWell = late.length === 0
  return copies.length === 0 ? null : (
    <span className={isWell ? 'quiet' : styles['state']} data-state={isWell ? undefined : 'leaving'}>
      {isWell
        ? `has ${named(copies.map(({ partition }) => partition))}, all current`
        : late.map((copy) => `partition ${copy.partition} ${standOf(copy)}`).join(', ')}
    </span>
  )
}

const named = (partitions: readonly number[]): string =>
  `${partitions.length === 1 ? 'partition' : 'partitions'} ${partitions.join(', ')}`
