import { ChurnSet, type Command, KirokuError, type Reply } from '@kiroku/protocol'
import type { Transport } from './Transport.ts'

/** The owners of partitions that are reached without the transport: in this process, or over a link on this machine. */
export interface LocalOwners {
  /**
   * Answers commands as the partition's owner; undefined while it is not reached here. Rejects as a transport
   * does.
   */
  request(partition: number, commands: readonly Command[]): Promise<Reply> | undefined
  /** The owner of the partition did not answer in time. */
  timedOut?(partition: number): void
}

/**
 * The transport of a client that reaches some owners directly, and all others over `transport`. Each request
 * goes to the partition's owner at that time, so that a client follows an owner that moves. It never says that it `copies`:
 * owners in this process do not.
 */
export const ownerFirst = (owners: LocalOwners, transport: Transport): Transport => {
  const strayListeners = new Set<(partition: number, reply: Reply) => void>()
  const flights = new ChurnSet<(error: KirokuError) => void>()

  const answered = (partition: number, answering: Promise<Reply>, timeoutMs: number): Promise<Reply> =>
    new Promise((resolve, reject) => {
      let isOver = false
      const end = (): void => {
        isOver = true
        clearTimeout(timer)
        flights.delete(fail)
      }
      const fail = (error: unknown): void => {
        if (isOver) return
        end()
        reject(error as Error)
      }
      // An owner whose store is down answers when it is back.
      const timer = setTimeout(() => {
        owners.timedOut?.(partition)
        fail(new KirokuError('Timeout', `Partition ${partition} did not answer in time`))
      }, timeoutMs).unref()
      flights.add(fail)
      answering.then((reply) => {
        if (isOver) for (const listener of strayListeners) listener(partition, reply)
        else {
          end()
          resolve(reply)
        }
      }, fail)
    })

  return {
    directory: () => transport.directory(),
    request: (partition, commands, options) => {
      const answering = owners.request(partition, commands)
      return answering === undefined
        ? transport.request(partition, commands, options)
        : answered(partition, answering, options.timeoutMs)
    },
    onOwnerChanged: (listener) => transport.onOwnerChanged(listener),
    onReconnected: (listener) => transport.onReconnected?.(listener) ?? (() => {}),
    onStray: (listener) => {
      strayListeners.add(listener)
      const stop = transport.onStray(listener)
      return () => {
        strayListeners.delete(listener)
        stop()
      }
    },
    outage: async () => transport.outage?.(),
    close: () => {
      for (const fail of [...flights]) fail(new KirokuError('Stopped', 'The client is closed'))
      return transport.close()
    },
  }
}
