import type { Finding } from './Finding.ts'

/** Who can enter NATS. */
export interface NatsAccess {
  /**
   * What somebody without credentials finds: nothing, a NATS in which Kiroku is out of reach, or the log itself; undefined: NATS
   * did not say.
   */
  readonly entry: 'closed' | 'elsewhere' | 'open' | undefined
  /** Whether what is said to NATS leaves this machine without TLS. */
  readonly isPlain: boolean
}

/** Judges who can enter NATS. */
export const judgeAccess = ({ entry, isPlain }: NatsAccess): Finding => {
  const check = 'NATS access'
  if (entry === 'open')
    return {
      check,
      status: 'warning',
      detail: 'this NATS asks for no credentials: anyone who reaches it can read and write everything',
      advice:
        'Give Kiroku an account with users for nodes and for clients, as docs/production.md has them, or let `kiroku up` run NATS.',
    }
  if (isPlain)
    return {
      check,
      status: 'warning',
      detail: 'what is said to this NATS crosses the network without TLS',
      advice: 'Set `tls` in the configuration of nats-server, and --nats-tls-ca here.',
    }
  if (entry === undefined) return { check, status: 'unknown', detail: 'NATS did not say' }
  return {
    check,
    status: 'ok',
    detail: entry === 'closed' ? 'only with credentials' : 'without credentials Kiroku is out of reach',
  }
}
