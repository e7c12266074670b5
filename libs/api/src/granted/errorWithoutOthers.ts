import type { DoorError } from '@kiroku/doors'
import type { ErrorId } from '@kiroku/protocol'
import type { Granted } from './Granted.ts'
import { withoutNames } from './withoutOthers.ts'

/** Errors that quote what the caller wrote, and name nothing else. */
const quoting: ReadonlySet<ErrorId> = new Set([
  'InvalidArgument',
  'InvalidFilter',
  'InvalidQueueName',
  'MalformedJson',
  'Forbidden',
])

/** An error without the names of queues that the caller may not know of. */
export const errorWithoutOthers = (error: DoorError, { isRestricted, sees }: Granted): DoorError =>
  !isRestricted || quoting.has(error.id) ? error : { ...error, message: withoutNames(error.message, sees) }
