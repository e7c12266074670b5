import type { ReactNode } from 'react'
import styles from './Figures.module.css'

/** Numbers of a page: the main one first, the others next to it. */
export const Figures = ({ children }: { readonly children: ReactNode }) => (
  <dl className={styles['figures']}>{children}</dl>
)

/** The parts of the main numbers, in small. */
export const SmallFigures = ({ children }: { readonly children: ReactNode }) => (
  <dl className={styles['small']}>{children}</dl>
)

/** A number with its name. */
export const Figure = ({
  label,
  help,
  isZero = false,
  isBad = false,
  children,
}: {
  readonly label: ReactNode
  /** What the number means. */
  readonly help?: string
  readonly isZero?: boolean
  readonly isBad?: boolean
  readonly children: ReactNode
}) => (
  <div className={styles['figure']} title={help}>
    <dt>{label}</dt>
    <dd className={isZero ? 'quiet' : undefined} data-bad={isBad}>
      {children}
    </dd>
  </div>
)
