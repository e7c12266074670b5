import { KirokuError } from '@kiroku/protocol'

/** The text of a filter for what is done to all that it matches. Errors: `InvalidArgument` where it names no messages. */
export const checkWhere = (where: string): string => {
  if (where.trim() !== '') return where
  throw new KirokuError(
    'InvalidArgument',
    'say which messages are meant, like "state:waiting queue:payments"; `kiroku queue purge` discards all of a queue',
  )
}
