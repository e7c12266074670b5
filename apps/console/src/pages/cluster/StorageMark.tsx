import type { ClusterPartition } from './Cluster.ts'
import styles from './StorageMark.module.css'

type Storage = NonNullable<ClusterPartition['storage']>

const words: Readonly<Record<Storage['state'], readonly [sign: string, word: string]>> = {
  enough: ['✓', 'Room'],
  short: ['↘', 'Short of room'],
  full: ['✕', 'Full: sends are refused'],
}

/** How much room a partition's log has, by sign and word. */
export const StorageMark = ({ storage: { state } }: { readonly storage: Storage }) => {
  const [sign, word] = words[state]
  return (
    <span className={styles['storage']} data-storage={state}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  )
}
