import { type CommandOf, KirokuError } from '@kiroku/protocol'
import type { Turn } from '../Turn.ts'
import { orRefuse } from '../orRefuse.ts'
import { requireReadable } from './clusterVersion.ts'

/** Puts a feature level in force; one that already is, or a lower one, changes nothing. */
export const decideRaise = <B>(turn: Turn<B>, c: CommandOf<'RaiseClusterVersion'>, token: number): void =>
  orRefuse(turn, token, () => {
    const { version, by } = c
    const { state } = turn
    if (!Number.isInteger(version) || version < 0)
      throw new KirokuError('InvalidArgument', `${version} is no cluster version`)
    requireReadable(state, version)
    const raised = version > state.clusterVersion
    if (raised) turn.emit({ type: 'ClusterVersionRaised', version, by })
    turn.ok(token, { clusterVersion: state.clusterVersion, raised })
  })
