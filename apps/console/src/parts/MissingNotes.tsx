import type { MissingPartition } from '@kiroku/audit'
import { Advice, Code } from './Advice.tsx'

/** Says which partitions cannot be read, so that nobody takes what is shown for all there is. */
export const MissingNotes = ({ missing }: { readonly missing: readonly MissingPartition[] | undefined }) =>
  missing?.map(({ partition, problem }) => (
    <Advice key={partition}>
      <strong>Partition {partition} cannot be read</strong>: {withoutPlace(problem.message)}. Its queues are
      missing here. <Code text={problem.help} />
    </Advice>
  ))

/** The message without the partition, which is named already. */
const withoutPlace = (message: string): string =>
  message.replace(/^partition \d+ is closed: /, '').replace(/^partition \d+, /, '')
