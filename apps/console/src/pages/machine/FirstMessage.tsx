import styles from './MachinePage.module.css'

/** How there would be something to see. */
export const FirstMessage = ({ queue }: { readonly queue: string | undefined }) => (
  <p className={styles['first']}>
    No message yet. Send the first:{' '}
    <code>
      {queue === undefined ? 'kiroku queue create mail && ' : ''}kiroku send {queue ?? 'mail'} hello
    </code>
  </p>
)
