import type { Command, CommandOf, Reply } from '@kiroku/protocol'

/**
 * Cancels the polls of a request when `signal` is aborted; what a cancelled poll gets shows in the request's own reply.
 * @param send sends the command that cancels one poll
 * @returns a function that stops listening to the signal
 */
export const cancelPolls = (
  commands: readonly Command[],
  signal: AbortSignal | undefined,
  send: (cancel: CommandOf<'CancelReceive'>) => Promise<Reply> | undefined,
): (() => void) => {
  const cancel = (): void => {
    for (const command of commands)
      if (command.type === 'Receive')
        send({ type: 'CancelReceive', poll: command.poll })?.catch(() => undefined)
  }
  signal?.addEventListener('abort', cancel)
  return () => signal?.removeEventListener('abort', cancel)
}
