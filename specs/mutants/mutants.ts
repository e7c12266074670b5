import { cardMutants } from './card.ts'
import { cloudflareQueuesMutants } from './cloudflareQueues.ts'
import { engineMutants } from './engine.ts'
import { mnsMutants } from './mns.ts'
import { rocketmqMutants } from './rocketmq.ts'
import { securityMutants } from './security.ts'
import type { SpecMutant } from './SpecMutant.ts'
import { sqsMutants } from './sqs.ts'

/** Every mutant. */
export const mutants: ReadonlyArray<SpecMutant> = [
  ...cardMutants,
  ...cloudflareQueuesMutants,
  ...rocketmqMutants,
  ...sqsMutants,
  ...mnsMutants,
  ...engineMutants,
  ...securityMutants,
]
