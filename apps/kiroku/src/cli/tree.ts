import { clientCommands } from '../commands/client/clientCommands.ts'
import { clusterCommands } from '../commands/cluster/clusterCommands.ts'
import { doorCommands } from '../commands/door/doorCommands.ts'
import { dlqCommands } from '../commands/dlq/dlqCommands.ts'
import { redriveCommands } from '../commands/dlq/redriveCommands.ts'
import {
  completionsCommand,
  doctorCommand,
  engineCommands,
  machineCommand,
} from '../commands/engine/engineCommands.ts'
import { messageCommands } from '../commands/message/messageCommands.ts'
import { applyCommand, queueCommands } from '../commands/queue/queueCommands.ts'
import { recordCommands } from '../commands/record/recordCommands.ts'
import { subscriptionCommands } from '../commands/subscription/subscriptionCommands.ts'
import { tokenCommands } from '../commands/token/tokenCommands.ts'
import type { CommandSpec } from './CommandSpec.ts'

/** The command tree, as data; each command's module is loaded only when it runs. */
export const tree: CommandSpec = {
  name: 'kiroku',
  summary: 'A durable message queue on NATS JetStream, with every step on record.',
  subcommands: [
    ...engineCommands,
    queueCommands,
    subscriptionCommands,
    applyCommand,
    ...messageCommands,
    dlqCommands,
    redriveCommands,
    ...recordCommands,
    machineCommand,
    clusterCommands,
    doorCommands,
    tokenCommands,
    clientCommands,
    doctorCommand,
    completionsCommand,
  ],
}
