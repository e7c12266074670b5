import { roleSuffices } from '@kiroku/protocol'
import * as Effect from 'effect/Effect'
import { CallerRole } from '../definition/Access.ts'

/** Whether the caller handles messages of the queue of the path: what queues hide from viewers is shown, but for bodies. */
export const isOperator = Effect.map(CallerRole, (role) => roleSuffices(role, 'operator'))
