import { When } from '../../parts/When.tsx'
import type { Watched } from './useCluster.ts'
import styles from './NodeList.module.css'

/** What changed hands since the page was opened; latest first. */
export const MoveList = ({ moves }: { readonly moves: Watched['moves'] }) => (
  <section className={styles['nodes']} aria-labelledby="moves-title">
    <h2 id="moves-title">Movement</h2>
    {moves.length === 0 ? (
      <p className="quiet">Nothing has moved since this page was opened.</p>
    ) : (
      <ol>
        {moves.map((move) => (
          <li key={`${move.at} ${move.partition}`} className={styles['node']}>
            <strong>Partition {move.partition}</strong>
            <span>
              {move.from ?? 'no owner'} → {move.to ?? 'no owner'}
              {move.epoch === undefined ? '' : `, epoch ${move.epoch}`}
            </span>
            <span className="quiet">
              {move.why} · <When at={move.at} />
            </span>
          </li>
        ))}
      </ol>
    )}
  </section>
)
