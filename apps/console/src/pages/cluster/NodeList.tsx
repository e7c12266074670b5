import { When } from '../../parts/When.tsx'
import type { Cluster } from './Cluster.ts'
import { OwnerMark } from './OwnerMark.tsx'
import { nodeName } from './partitionViews.ts'
import styles from './NodeList.module.css'

/** The nodes, and what each of them serves. */
export const NodeList = ({ cluster }: { readonly cluster: Cluster }) => (
  <section className={styles['nodes']} aria-labelledby="nodes-title">
    <h2 id="nodes-title">Nodes</h2>
    <ul>
      {cluster.nodes.map((node, index) => (
        <li key={node.address} className={styles['node']}>
          <strong>
            <OwnerMark owner={{ name: nodeName(node), index }} />
          </strong>
          <span className={styles['state']} data-state={stateOf(node)}>
            {stateOf(node)}
          </span>
          <span>
            {node.partitions.length === 0
              ? 'no partitions'
              : `${node.partitions.length === 1 ? 'partition' : 'partitions'} ${node.partitions.join(', ')}`}
          </span>
          <span className="quiet">
            {node.host}, process {node.pid}, {node.zone ? `zone ${node.zone}, ` : ''}
            {(node.weight ?? 1) === 1 ? '' : `weight ${node.weight}, `}version {node.version ?? 'unknown'},
            feature level {node.featureLevel ?? 'unknown'}, started <When at={Date.parse(node.startedAt)} />
          </span>
          {node.refused !== undefined && (
            <span className={styles['refused']}>
              cannot read partition {node.refused.partition}: {node.refused.reason}
            </span>
          )}
        </li>
      ))}
    </ul>
    {cluster.clusterVersion !== undefined && (
      <p className="quiet">Cluster version {cluster.clusterVersion}</p>
    )}
    {cluster.nodes.length === 1 && (
      <p className={styles['one']}>
        A cluster of one. Start <code>kiroku serve --nats nats://HOST:PORT</code> on another machine, or here,
        with the NATS that this node uses: it takes its share of the partitions within seconds.
      </p>
    )}
    {cluster.auditor !== undefined && (
      <p className="quiet">
        Auditor: process {cluster.auditor.pid}
        {cluster.auditor.role === 'writer' ? ', keeps the index' : `, ${cluster.auditor.role}`}
      </p>
    )}
  </section>
)

const stateOf = ({ healthy, leaving }: Cluster['nodes'][number]): string =>
  leaving ? 'leaving' : healthy ? 'healthy' : 'gone'
