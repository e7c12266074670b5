import type { RunnerRecord } from './RunnerRecord.ts'

type Reader = Pick<RunnerRecord, 'address' | 'featureLevel' | 'refused'>

/**
 * Addresses of the nodes that take no partitions because others read more: they found one that they cannot read, and there
 * is a node of a higher feature level that found none. Without such a node they keep what they can read.
 * @param nodes those that partitions may be given to otherwise
 */
export const stepAside = (nodes: readonly Reader[]): ReadonlySet<string> => {
  const levels = nodes.flatMap((node) => (node.refused === undefined ? [levelOf(node)] : []))
  const highest = Math.max(...levels)
  return new Set(
    nodes.flatMap((node) => (node.refused !== undefined && levelOf(node) < highest ? [node.address] : [])),
  )
}

/** A node that is too old to say its level is below all others. */
const levelOf = ({ featureLevel = 0 }: Reader): number => featureLevel
