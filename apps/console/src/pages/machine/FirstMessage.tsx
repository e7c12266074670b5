import { Link } from '@tanstack/react-router'
import { useMoment } from '../../data/moment.ts'
import { useLogInfo } from '../../data/queueInfos.ts'
import { SendButton } from '../../send/Sending.tsx'
import styles from './MachinePage.module.css'

/** How to get something to see. */
export const FirstMessage = ({ queue }: { readonly queue: string | undefined }) => {
  const { at } = useMoment()
  const { data } = useLogInfo()
  if (at !== undefined || data === undefined) return null
  return (
    <div className={styles['first']}>
      {data.queues.length > 0 ? (
        <>
          No messages yet.
          <SendButton draft={queue === undefined ? {} : { queue }}>Send a message</SendButton>
          <code>kiroku send {queue ?? 'QUEUE'} hello</code>
        </>
      ) : (
        <>
          No queues yet.
          <Link className="button" to="/queues" state={{ isCreating: true } as never}>
            Create a queue
          </Link>
          <code>kiroku queue create mail</code>
        </>
      )}
    </div>
  )
}
