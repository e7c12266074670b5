import type { KirokuError } from '@kiroku/protocol'

/** One finding: the subject, its state, and what to do. */
export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'bad' | 'unknown'
  readonly detail: string
  readonly advice?: string
}

/** The one finding where NATS or its JetStream does not answer. */
export const outageFinding = ({ id, message, help }: KirokuError): Finding => ({
  check: 'NATS',
  status: 'bad',
  detail: `${id}: ${message}`,
  advice: help,
})
