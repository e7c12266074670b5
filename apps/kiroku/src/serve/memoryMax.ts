import { totalmem } from 'node:os'

/** How much memory this process and those that it starts may take, in bytes: its container's limit, or all of the machine. */
export const memoryMax = (): number => Math.min(totalmem(), process.constrainedMemory() || Infinity)

/** What a nats-server that is started here may take of it, about: what it read of the log it would keep as long as it can. */
export const natsMemoryShare = 1 / 6

/** Below this, an engine would rather be slower than be killed: what it does not need it gives back at once… */
const frugalBelowBytes = 1024 ** 3

/** …and below this its auditor does, which nobody waits for. */
const auditorFrugalBelowBytes = 2 * 1024 ** 3

export const isFrugal = (): boolean => memoryMax() < frugalBelowBytes

export const isAuditorFrugal = (): boolean => memoryMax() < auditorFrugalBelowBytes
