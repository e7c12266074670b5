import styles from './OwnerMark.module.css'

/** How many owners have distinct colours and patterns; further ones reuse them, their names differ. */
const marks = 6

/** An owner by colour, pattern and name. */
export const OwnerMark = ({
  owner,
}: {
  readonly owner: { readonly name: string; readonly index: number } | undefined
}) =>
  owner === undefined ? (
    <span className={styles['nobody']}>no owner</span>
  ) : (
    <span className={styles['owner']}>
      <span aria-hidden="true" className={styles['mark']} data-mark={owner.index % marks} />
      <span className={styles['name']}>{owner.name}</span>
    </span>
  )
