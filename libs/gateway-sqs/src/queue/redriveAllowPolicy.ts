import { invalid } from '../SqsError.ts'
import { readMap } from './readMap.ts'

/** Which queues may name a queue as their dead-letter queue: all, none, or those of these names. */
type AllowPolicy = 'allowAll' | 'denyAll' | ReadonlySet<string>

const sourcesMax = 10

/** Reads a redrive allow policy. Errors: `InvalidParameterValue`. */
export const readAllowPolicy = (text: string): AllowPolicy => {
  const wrong = (reason: string) => invalid('RedriveAllowPolicy', text, reason)
  const map = readMap('RedriveAllowPolicy', 'Redrive allow policy', text)
  const { redrivePermission: permission, sourceQueueArns: arns } = map
  if (permission === 'allowAll' || permission === 'denyAll') {
    if (arns !== undefined) throw wrong('sourceQueueArns can be given only if redrivePermission is byQueue.')
    return permission
  }
  if (permission !== 'byQueue') throw wrong('redrivePermission must be one of allowAll, denyAll and byQueue.')
  if (!Array.isArray(arns) || arns.length === 0 || arns.length > sourcesMax)
    throw wrong(`sourceQueueArns must have between 1 and ${sourcesMax} ARNs if redrivePermission is byQueue.`)
  return new Set(
    arns.map((arn) => {
      const name = /^arn:[\w-]+:sqs:[\w-]*:\d*:([A-Za-z0-9_-]{1,80}(?:\.fifo)?)$/.exec(String(arn))?.[1]
      if (name === undefined) throw wrong(`${JSON.stringify(arn)} is not the ARN of a queue.`)
      return name
    }),
  )
}

/** Whether a policy lets a queue name the one that has it as its dead-letter queue; one that cannot be read lets none. */
export const allows = (policy: string | undefined, source: string): boolean => {
  if (policy === undefined) return true
  try {
    const allowed = readAllowPolicy(policy)
    return typeof allowed === 'string' ? allowed === 'allowAll' : allowed.has(source)
  } catch {
    return false
  }
}
