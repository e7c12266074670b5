import { commit } from './commit.ts'
import type { Shrunk } from './Job.ts'

/** How to see a seed again. */
export const replayCommand = (seed: number, without = ''): string =>
  `npm run simulate -- --seed ${seed} --tell${without === '' ? '' : ` --without ${without}`}`

/** A failure as text: what happened, which checker objected, how to replay it. */
export const describeShrunk = ({ seed, without, failure, history }: Shrunk): string =>
  [
    ...history,
    failure === undefined
      ? `seed ${seed} of commit ${commit()} passes`
      : `seed ${seed} of commit ${commit()} fails: ${failure.checker}: ${failure.text}`,
    `replay: ${replayCommand(seed, without)}`,
  ].join('\n')
