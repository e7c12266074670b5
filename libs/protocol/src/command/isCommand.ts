import type { Command, CommandType } from './Command.ts'
import { sendShapes } from './send.ts'
import { receiveShapes } from './receive.ts'
import { settleShapes } from './settle.ts'
import { queueShapes } from './queue.ts'
import { subscriptionShapes } from './subscription.ts'
import { spreadShapes } from './spread.ts'
import { redriveShapes } from './redrive.ts'
import { eraseShapes } from './erase.ts'
import { forwardShapes } from './forward.ts'
import { observeShapes } from './observe.ts'
import { type Check, misfitOf, record, type Shapes } from './shape.ts'

const shapes: Shapes<Command> = {
  ...sendShapes,
  ...receiveShapes,
  ...settleShapes,
  ...queueShapes,
  ...subscriptionShapes,
  ...spreadShapes,
  ...redriveShapes,
  ...eraseShapes,
  ...forwardShapes,
  ...observeShapes,
}

/** What partitions and nodes ask of each other, and no door does. */
export const nodeCommands: ReadonlySet<CommandType> = new Set<CommandType>([
  'Forward',
  'ForgetLanes',
  'PlacePart',
  'DropPart',
  'FollowPartition',
  'RaiseClusterVersion',
])

/** Whether a value has the shape of a command. */
export const isCommand = (value: unknown): value is Command => shapeOf(value)?.(value) === true

/** What keeps a value from being a command, in words. */
export const notCommand = (value: unknown): string => {
  const check = shapeOf(value)
  if (check === undefined) return 'it is of no type that this side knows'
  const { type } = value as { readonly type: string }
  return `"${misfitOf(value, check)}" of ${type} is missing or not what it must be`
}

const shapeOf = (value: unknown): Check | undefined => {
  if (!record(value)) return undefined
  const { type } = value as { readonly type?: unknown }
  return typeof type === 'string' && Object.hasOwn(shapes, type) ? shapes[type as CommandType] : undefined
}
