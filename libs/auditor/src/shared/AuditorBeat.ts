import type { AuditorStatus } from '../AuditorProtocol.ts'

/** What the node that runs the auditor of a log says of itself, over and over. */
export interface AuditorBeat {
  /** Name of the node, unique. */
  readonly node: string
  /** When it took the auditor over, in ms since 1970 by its own clock: of two that run one the earlier stays. */
  readonly sinceMs: number
  /** How far the auditor is; absent before its first report. */
  readonly status?: AuditorStatus
  /** It stops. */
  readonly ends?: true
}

/** A beat as it was told; undefined for anything else. */
export const readBeat = (news: string): AuditorBeat | undefined => {
  try {
    const beat = JSON.parse(news) as Partial<AuditorBeat> | null
    const isBeat = typeof beat?.node === 'string' && typeof beat.sinceMs === 'number'
    return isBeat ? (beat as AuditorBeat) : undefined
  } catch {
    return undefined
  }
}
