import { useScope } from '../../data/moment.ts'
import { LetterQueues } from './LetterQueues.tsx'
import { LettersOfQueue } from './LettersOfQueue.tsx'

/** What could not be handled: which queues hold such messages, why, and the way back. */
export const DlqPage = () => {
  const { queue } = useScope()
  return queue === undefined ? <LetterQueues /> : <LettersOfQueue key={queue} queue={queue} />
}
