import type { ReactNode } from 'react'
import styles from './Empty.module.css'

/** An empty state: why it is empty, and how to change that. */
export const Empty = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className={styles['empty']}>
    <p className={styles['title']}>{title}</p>
    {children !== undefined && <div className={styles['text']}>{children}</div>}
  </div>
)
