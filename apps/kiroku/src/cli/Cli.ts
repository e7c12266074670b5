import * as NodeServices from '@effect/platform-node/NodeServices'
import { KirokuError, nearest } from '@kiroku/protocol'
import * as Cause from 'effect/Cause'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Layer from 'effect/Layer'
import * as Option from 'effect/Option'
import * as Argument from 'effect/cli/Argument'
import * as CliConfig from 'effect/cli/CliConfig'
import * as CliError from 'effect/cli/CliError'
import * as CliOutput from 'effect/cli/CliOutput'
import * as Command from 'effect/cli/Command'
import * as Completions from 'effect/cli/Completions'
import * as Flag from 'effect/cli/Flag'
import * as GlobalFlag from 'effect/cli/GlobalFlag'
import type { HelpDoc } from 'effect/cli/HelpDoc'
import { settingsTable, type Setting } from '../config/settings.ts'
import type { ArgumentSpec, CommandSpec, FlagSpec } from './CommandSpec.ts'
import { withAsking } from './askingScript.ts'
import { natsSettings } from './sharedFlags.ts'

/** Values of one command line by flag and argument name. */
export interface ParsedCommand {
  readonly arguments: Readonly<Record<string, string | undefined>>
  readonly flags: Readonly<Record<string, string | number | boolean | undefined>>
}

/** Runs the command that was chosen. */
export type Dispatch = (spec: CommandSpec, parsed: ParsedCommand) => Promise<void>

/** Shells for which a completion script can be printed. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const

/**
 * Parses `argv` against the tree and dispatches; prints the version, and help, also without arguments. This
 * file is the only one that knows `effect/cli`, which is unstable. Errors: `InvalidArgument` for a command
 * line that does not fit; those of the command otherwise.
 */
export const runTree = async (
  root: CommandSpec,
  version: string,
  argv: readonly string[],
  dispatch: Dispatch,
): Promise<void> => {
  const isAll = argv.includes(helpAll)
  const asked = argv.some((each) => each !== '--json') ? argv : ['--help']
  const given = asked.map((each) => (each === helpAll ? '--help' : each))
  const program = Command.runWith(build(root, dispatch), { version, renderErrors: true })(given).pipe(
    Effect.provide(
      Layer.mergeAll(
        NodeServices.layer,
        CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
        CliOutput.layerPresenter({
          present: (event) =>
            event._tag === 'InvalidInvocation'
              ? Effect.void
              : CliOutput.defaultPresenter.present(
                  'helpDoc' in event ? { ...event, helpDoc: helpOf(event.helpDoc, isAll) } : event,
                ),
        }),
      ),
    ),
  )
  const exit = await Effect.runPromiseExit(program)
  if (Exit.isFailure(exit)) throw asOurError(Cause.squash(exit.cause), root, given)
}

/** The completion script of the tree for one shell. */
export const completionScript = (root: CommandSpec, shell: (typeof shells)[number]): string => {
  const script = Completions.generate(
    root.name,
    shell,
    Completions.fromCommand(build(root, () => Promise.resolve())),
  ).replaceAll(`${root.name} --completions ${shell}`, `${root.name} completions ${shell}`)
  return withAsking(script, root, shell)
}

const helpAll = '--help-all'

const connectionFlags: ReadonlySet<string> = new Set(
  settingsTable.filter(({ key }) => natsSettings.includes(key)).map(({ flag }) => flag),
)

/**
 * The help of a command, in which the flags common to all commands take one line, unless all are requested.
 */
const helpOf = (doc: HelpDoc, isAll: boolean): HelpDoc => {
  const globalFlags = [
    ...(doc.globalFlags ?? []),
    flagDoc('help-all', 'Show help with every flag, including those of the connection'),
  ]
  const has = (flag: string): boolean => doc.flags.some(({ name }) => name === flag)
  // For a node, its NATS is not a side matter.
  if (isAll || !has('nats') || has('http')) return { ...doc, globalFlags }
  const own = doc.flags.filter(({ name }) => !connectionFlags.has(name))
  const folded = flagDoc(
    'nats, --nats-*, --log, --data-dir',
    'Connection: which engine is meant, if not the one of this folder (--help-all).',
  )
  return { ...doc, flags: [...own, folded], globalFlags }
}

const flagDoc = (name: string, description: string): HelpDoc['flags'][number] => ({
  name,
  aliases: [],
  type: 'boolean',
  description: Option.some(description),
  required: false,
})

type AnyCommand = Command.Command<string, unknown, object, unknown, never>

const build = (spec: CommandSpec, dispatch: Dispatch): AnyCommand => {
  const parameters: Record<string, unknown> = {}
  for (const argument of spec.arguments ?? []) parameters[`argument ${argument.name}`] = toArgument(argument)
  for (const flag of flagsOf(spec)) parameters[`flag ${flag.name}`] = toFlag(flag)
  const handler = (input: Record<string, unknown>): Effect.Effect<void, unknown> =>
    Effect.tryPromise({ try: () => dispatch(spec, parsedOf(input)), catch: (error) => error })
  let command = (spec.load === undefined
    ? Command.make(spec.name)
    : Command.make(
        spec.name,
        parameters as Record<string, Flag.Flag<unknown>>,
        handler,
      )) as unknown as AnyCommand
  command = Command.withDescription(command, spec.description ?? spec.summary) as AnyCommand
  command = Command.withShortDescription(command, spec.summary) as AnyCommand
  if (spec.examples !== undefined) command = Command.withExamples(command, spec.examples) as AnyCommand
  if (spec.subcommands !== undefined)
    command = Command.withSubcommands(
      command,
      spec.subcommands.map((sub) => build(sub, dispatch)) as never,
    ) as unknown as AnyCommand
  return command
}

const flagsOf = (spec: CommandSpec): FlagSpec[] => {
  const flags = [...(spec.flags ?? [])]
  for (const key of spec.settings ?? []) {
    const row: Setting = settingsTable.find((candidate) => candidate.key === key)!
    flags.push({
      name: row.flag,
      kind: 'text',
      metavar: row.choices === undefined ? (row.metavar ?? row.kind.toUpperCase()) : row.choices.join('|'),
      description: `${row.description} [${row.env}${row.default === undefined ? '' : `, default ${row.default}`}]`,
    })
  }
  flags.push(
    { name: 'json', kind: 'boolean', description: 'Print one JSON value as the last line.' },
    {
      name: 'raw',
      kind: 'boolean',
      description: 'Print control characters, as messages may hold, instead of spelling them out.',
    },
  )
  return flags
}

const toFlag = (spec: FlagSpec): unknown => {
  let flag: Flag.Flag<unknown> =
    spec.kind === 'boolean'
      ? Flag.Boolean(spec.name)
      : spec.kind === 'int'
        ? Flag.Int(spec.name)
        : spec.kind === 'choice'
          ? Flag.Literals(spec.name, spec.choices!)
          : Flag.String(spec.name)
  if (spec.alias !== undefined) flag = Flag.withAlias(flag, spec.alias)
  if (spec.metavar !== undefined) flag = Flag.withMetavar(flag, spec.metavar)
  flag = Flag.withDescription(flag, spec.description)
  return spec.kind === 'boolean' ? Flag.withDefault(flag, false) : Flag.optional(flag)
}

const toArgument = (spec: ArgumentSpec): unknown => {
  const argument = Argument.withDescription(Argument.String(spec.name), spec.description)
  return spec.optional === true ? Argument.optional(argument) : argument
}

const parsedOf = (input: Record<string, unknown>): ParsedCommand => {
  const parsed = { arguments: {}, flags: {} } as Record<'arguments' | 'flags', Record<string, never>>
  for (const [key, raw] of Object.entries(input)) {
    const value = Option.isOption(raw) ? Option.getOrUndefined(raw) : raw
    const [kind, name] = key.split(' ') as ['argument' | 'flag', string]
    parsed[kind === 'argument' ? 'arguments' : 'flags'][name] = value as never
  }
  return parsed
}

const asOurError = (error: unknown, root: CommandSpec, given: readonly string[]): unknown => {
  if (!CliError.isCliError(error)) return error
  if (error._tag !== 'ShowHelp') return new KirokuError('InvalidArgument', error.message)
  const command = error.commandPath.join(' ')
  const value = error.errors.some(({ _tag }) => _tag === 'UnrecognizedOption') ? hyphened(given) : undefined
  if (value !== undefined)
    return new KirokuError(
      'InvalidArgument',
      `"${value}" was read as flags because it begins with a hyphen. Put \`--\` before it: \`${command} -- '${value}'\`.`,
    )
  if (error.errors.length === 0)
    return new KirokuError('InvalidArgument', `${command}: the command is missing (see above)`)
  const problems = error.errors.map((problem) => sentenceOf(problem, root)).join(' ')
  return new KirokuError('InvalidArgument', `${problems} \`${command} --help\` shows what fits.`)
}

/** What begins with a hyphen and is longer than a flag of one letter: most likely a filter, or a body. */
const hyphened = (given: readonly string[]): string | undefined => {
  const end = given.indexOf('--')
  return given.slice(0, end < 0 ? given.length : end).find((each) => /^-[^-\d]./.test(each))
}

/** The parser's message of several lines, as a sentence, and in another what is most likely meant. */
const sentenceOf = (problem: CliError.CliError, root: CommandSpec): string => {
  const said = problem.message.replace(/[.]?\s*Did you mean this\?[^]*$/, '').trim()
  const sentence = said.replace(/\s+/g, ' ').replace(/(?<![.?!])$/, '.')
  const meant = meantBy(problem, root)
  return meant === undefined ? sentence : `${sentence} Did you mean ${meant}?`
}

const meantBy = (problem: CliError.CliError, root: CommandSpec): string | undefined => {
  if (problem._tag === 'UnknownSubcommand')
    return nearest(
      problem.subcommand,
      (specAt(root, problem.parent ?? []).subcommands ?? []).map(({ name }) => name),
    )
  if (problem._tag !== 'UnrecognizedOption') return undefined
  const flags = flagsOf(specAt(root, problem.command ?? [])).map(({ name }) => name)
  const meant = nearest(problem.option.replace(/^-+/, ''), flags)
  return meant === undefined ? undefined : `--${meant}`
}

/** The command with these names, the root's first. */
const specAt = (root: CommandSpec, [, ...path]: readonly string[]): CommandSpec =>
  path.reduce((spec, name) => spec.subcommands?.find((sub) => sub.name === name) ?? spec, root)
