import { KirokuError } from '@kiroku/protocol'
import type { ClusterStatus } from './clusterStatus.ts'

/**
 * The feature level that may be put in force: the highest among the live nodes, which all of them must read. Errors:
 * `NotFinalized`, naming each node that does not, `Unavailable` where no node is there.
 */
export const finalizable = ({ runners }: Pick<ClusterStatus, 'runners'>): number => {
  const live = runners.filter(({ healthy }) => healthy)
  if (live.length === 0)
    throw new KirokuError('Unavailable', 'no node is there that could say what it reads; start one')
  const target = Math.max(...live.map(({ featureLevel = 0 }) => featureLevel))
  const behind = live.filter(({ featureLevel = 0 }) => featureLevel < target)
  if (behind.length === 0) return target
  const names = behind.map(
    ({ address, host, pid, version = 'unknown', featureLevel = 'unknown' }) =>
      `${address} (${host}, process ${pid}: version ${version}, feature level ${featureLevel})`,
  )
  throw new KirokuError(
    'NotFinalized',
    `cluster version ${target} cannot be read by every node: not by ${names.join(', ')}; upgrade or stop it, then finalize again`,
  )
}
