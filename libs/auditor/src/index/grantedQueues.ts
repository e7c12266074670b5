import { type Grants, isRestricted } from '@kiroku/protocol'

/**
 * A condition on `queues q` and its parameters: those that somebody with these grants may see; undefined: all. A pattern of a
 * grant is one of GLOB, since names of queues hold none of its other wildcards.
 */
export const grantedQueues = (
  grants: Grants | undefined,
): { readonly sql: string; readonly parameters: readonly string[] } | undefined => {
  if (grants === undefined || !isRestricted(grants)) return undefined
  const patterns = grants.queues.map(({ queues }) => queues)
  const tests = patterns.map(() => 'q.name GLOB ?').join(' OR ')
  return { sql: `q.name <> '' AND (${tests === '' ? '0' : tests})`, parameters: patterns }
}
