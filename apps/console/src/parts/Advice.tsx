import type { ReactNode } from 'react'
import styles from './Advice.module.css'

/** A problem with a part of what is shown, and what to do. */
export const Advice = ({ children }: { readonly children: ReactNode }) => (
  <p role="alert" className={styles['advice']}>
    {children}
  </p>
)

/** Text with commands between backticks. */
export const Code = ({ text }: { readonly text: string }) =>
  text.split('`').map((part, i) => (i % 2 === 0 ? part : <code key={i}>{part}</code>))
