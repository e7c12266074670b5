import type { Client } from '@kiroku/client'
import type { ApiDependencies } from '../ApiDependencies.ts'

const unused = () => Promise.reject(new Error('not used in this test'))

/** Sources for a test that uses none of them. */
export const unusedTestDependencies: ApiDependencies = {
  about: {
    log: 'main',
    incarnation: 'abc',
    partitions: 2,
    version: '1.2.3',
    startedAt: 1_000,
    pid: 7,
    folder: '/data',
  },
  client: {} as Client,
  record: () => ({
    search: unused,
    acts: unused,
    history: unused,
    trace: unused,
    stateAt: unused,
    diff: unused,
    logAt: unused,
    span: unused,
    recording: unused,
    batches: unused,
    deadLetters: unused,
    selectLetters: unused,
  }),
  body: unused,
  feed: {
    open: () => {
      throw new Error('not used in this test')
    },
  },
  settleMatching: unused,
  clusterStatus: unused,
  finalizeCluster: unused,
  metrics: () => [],
  owned: () => Promise.resolve({ partitions: [], queues: [] }),
  warnings: () => [],
  outage: () => Promise.resolve(undefined),
  notReady: () => Promise.resolve(undefined),
}
