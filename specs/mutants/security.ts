import type { SpecMutant } from './SpecMutant.ts'

/** Breaks of the promises about who may do what. */
export const securityMutants: ReadonlyArray<SpecMutant> = [
  {
    id: 'SEC-01',
    file: 'libs/nats-access/src/rights.ts',
    from: '`kiroku.directory.*.${name}`]',
    to: '`kiroku.directory.*.${name}`, "$JS.API.>"]',
    what: 'a client may read and write every stream',
  },
]
