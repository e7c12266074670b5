import type { SpecMutant } from './SpecMutant.ts'

/** Breaks of the promises of Alibaba MNS. */
export const mnsMutants: ReadonlyArray<SpecMutant> = [
  {
    id: 'MNS-01',
    file: 'libs/partition/src/deliver.ts',
    from: 'const leaseUntil = now + poll.leaseMs',
    to: 'const leaseUntil = now + poll.leaseMs / 2',
    what: 'a lease is half as long as it was asked for',
  },
]
