import { useScope } from '../../data/moment.ts'
import { QueueDetail } from './QueueDetail.tsx'
import { QueueList } from './QueueList.tsx'

/** All queues, or the chosen one. */
export const QueuesPage = () => {
  const { queue } = useScope()
  return queue === undefined ? <QueueList /> : <QueueDetail key={queue} name={queue} />
}
