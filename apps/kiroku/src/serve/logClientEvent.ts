import type { ClientEvent } from '@kiroku/client'
import type { Logger, LogLevel } from './Logger.ts'

const levels: Readonly<Record<ClientEvent['type'], LogLevel>> = {
  retrying: 'debug',
  engineLost: 'warn',
  engineBack: 'info',
  ownerChanged: 'debug',
  queueWarning: 'warn',
  handlerFailed: 'error',
  bodyMismatch: 'error',
  backPressure: 'info',
  delayHeld: 'warn',
  leaseLost: 'warn',
  leaseAbandoned: 'error',
  settleFailed: 'warn',
  released: 'debug',
  replyDropped: 'debug',
  consumerFailed: 'error',
}

/** Logs the events of a client. */
export const logClientEvent =
  (logger: Logger) =>
  ({ type, ...fields }: ClientEvent): void =>
    logger(levels[type], type, fields)
