import { type Actor, type Command, KirokuError, nodeCommands } from '@kiroku/protocol'

/** Longer claims are cut. */
const claimCharactersMax = 200

/**
 * The commands of a client that was let in by name, as they go on record: done by that client. Whom else it says it acts for is kept
 * as its claim.
 * @throws KirokuError `Forbidden`: a command that only nodes send
 */
export const fromClient = (name: string, commands: readonly Command[]): readonly Command[] => {
  const forbidden = commands.find(({ type }) => nodeCommands.has(type))
  if (forbidden !== undefined)
    throw new KirokuError('Forbidden', `${forbidden.type} is a command of nodes, and ${name} is a client`)
  if (!commands.some(isAct)) return commands
  return commands.map((command) => (isAct(command) ? { ...command, by: proven(command.by, name) } : command))
}

const isAct = (command: Command): command is Command & { readonly by: Actor } => 'by' in command

const proven = ({ name: said, origin, reason }: Actor, name: string): Actor => ({
  name,
  origin: said === 'local' ? 'client' : `client, says it is ${said} (${origin})`.slice(0, claimCharactersMax),
  ...(reason === undefined ? {} : { reason }),
})
