import styles from './MachinePage.module.css'

/** How there would be something to see. */
export const FirstMessage = ({ queue = 'mail' }: { readonly queue: string | undefined }) => (
  <p className={styles['first']}>
    No message yet. Send the first: <code>kiroku send {queue} hello</code>
  </p>
)
