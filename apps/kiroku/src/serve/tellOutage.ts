import type { Output } from '../cli/Output.ts'
import type { Outage } from './describeCluster.ts'

/** Says that nothing can be served or stored, and why, ahead of what is known all the same; the command fails then. */
export const tellOutage = (outage: Outage | undefined, out: Output): void => {
  if (outage === undefined) return
  out.line(`WARNING  ${outage.id}: ${outage.message}`)
  out.line(`         ${outage.help}`)
  out.line()
  process.exitCode = 5
}
