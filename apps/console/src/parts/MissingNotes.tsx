import type { Missing } from '../data/queueInfos.ts'
import { Advice, Code } from './Advice.tsx'

/** Says what cannot be read, so that what is shown is not taken as complete. */
export const MissingNotes = ({ missing }: { readonly missing: readonly Missing[] | undefined }) =>
  missing?.map(({ partition, queue, problem }) =>
    queue === undefined ? (
      <Advice key={partition}>
        <strong>Partition {partition} cannot be read</strong>: {withoutPlace(problem.message)}. Its queues are
        missing here. <Code text={problem.help} />
      </Advice>
    ) : (
      <Advice key={`${partition}/${queue}`}>
        <strong>Queue {queue} is missing here</strong>: {problem.message}. <Code text={problem.help} />
      </Advice>
    ),
  )

/** The message without the partition, which is named already. */
const withoutPlace = (message: string): string =>
  message.replace(/^partition \d+ is closed: /, '').replace(/^partition \d+, /, '')
