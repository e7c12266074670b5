import { useScope } from '../../data/moment.ts'
import { LetterQueues } from './LetterQueues.tsx'
import { LettersOfQueue } from './LettersOfQueue.tsx'

/** Dead letters: which queues hold them, why, and the way back. */
export const DlqPage = () => {
  const { queue } = useScope()
  return queue === undefined ? <LetterQueues /> : <LettersOfQueue key={queue} queue={queue} />
}
