import { featureLevel, KirokuError, type LogEventOf } from '@kiroku/protocol'
import type { PartitionState } from '../state/PartitionState.ts'

/** From here on the record may hold what came with these feature levels. Errors: `FutureVersion` where this code does not read them. */
export const clusterVersionRaised = (
  state: PartitionState,
  { version }: LogEventOf<'ClusterVersionRaised'>,
): void => {
  requireReadable(state, version)
  state.clusterVersion = version
}

/** Refuses a cluster version above the feature level of this code. Errors: `FutureVersion`. */
export const requireReadable = ({ partition }: PartitionState, version: number): void => {
  if (version > featureLevel)
    throw new KirokuError(
      'FutureVersion',
      `cluster version ${version} of partition ${partition} cannot be read here, where ${featureLevel} is the highest; install a version that reads ${version}`,
    )
}
