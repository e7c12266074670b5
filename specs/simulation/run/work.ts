import { Coverage } from '../core/Coverage.ts'
import { readWithout } from '../plan/without.ts'
import { runSeed } from '../runSeed.ts'
import type { FailedSeed, Job, Outcome } from './Job.ts'
import { shrink } from './shrink.ts'

/** Does one job. */
export const work = async (job: Job): Promise<Outcome> => {
  switch (job.kind) {
    case 'run':
      return runSeeds(job)
    case 'shrink':
      return { ...nothing, shrunk: await shrink(job.seed, job.checker) }
    case 'tell': {
      const { failure, history } = await runSeed(job.seed, {
        without: readWithout(job.without),
        keepsHistory: true,
      })
      return { ...nothing, shrunk: { seed: job.seed, without: job.without, failure, history } }
    }
  }
}

const nothing: Outcome = { seeds: 0, steps: 0, coverage: {}, failed: [] }

const runSeeds = async ({ from, count, untilFailure }: Extract<Job, { kind: 'run' }>): Promise<Outcome> => {
  const coverage = new Coverage()
  const failed: FailedSeed[] = []
  let steps = 0
  let seeds = 0
  while (seeds < count && !(untilFailure && failed.length > 0)) {
    const result = await runSeed(from + seeds)
    seeds++
    steps += result.steps
    coverage.merge(result.coverage)
    if (result.failure !== undefined) failed.push({ seed: result.seed, ...result.failure })
  }
  return { seeds, steps, coverage: coverage.counts, failed }
}
