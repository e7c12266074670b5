import type { ReactNode } from 'react'
import styles from './Empty.module.css'

/** What is shown where there is nothing: why, and how there would be something. */
export const Empty = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className={styles['empty']}>
    <p className={styles['title']}>{title}</p>
    {children !== undefined && <div className={styles['text']}>{children}</div>}
  </div>
)
