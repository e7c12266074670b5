import type { PartitionView } from './partitionViews.ts'
import styles from './HealthMark.module.css'

const words: Readonly<Record<PartitionView['health'], readonly [sign: string, word: string]>> = {
  well: ['✓', 'Active'],
  moving: ['↻', 'Moving'],
  silent: ['?', 'No answer'],
  nobody: ['✕', 'No owner'],
  quarantined: ['⬣', 'Quarantined'],
  unreadable: ['⬣', 'Cannot be read'],
}

/** The health of a partition, by sign and word: the state of its owner's actor if that says more. */
export const HealthMark = ({ view: { health, state } }: { readonly view: PartitionView }) => {
  const [sign, word] = words[health]
  return (
    <span className={styles['health']} data-health={health}>
      <span aria-hidden="true">{sign}</span> {health === 'moving' ? state : word}
    </span>
  )
}
