import { isKirokuError } from '@kiroku/protocol'
import { readConfigFile } from '../config/ConfigFile.ts'
import { resolveSettings } from '../config/resolveSettings.ts'
import { runTree, type ParsedCommand } from './Cli.ts'
import type { CommandSpec, Invocation } from './CommandSpec.ts'
import { processOutput } from './Output.ts'
import { inFlags } from './inFlags.ts'

/** Runs one command line against a tree. Errors: those of the command, `InvalidArgument`. */
export const runCommandLine = (
  root: CommandSpec,
  version: string,
  argv: readonly string[],
  signal: AbortSignal,
): Promise<void> =>
  runTree(root, version, argv, async (spec, parsed) => {
    const module = await spec.load!()
    const invocation = invocationOf(root, spec, parsed, signal)
    await module.run(invocation).catch(async (error: unknown) => {
      if (!isKirokuError(error)) throw error
      if (error.id !== 'UnknownQueue') throw inFlags(error, spec)
      throw await (await import('../serve/suggestQueue.ts')).suggestQueue(error, invocation)
    })
  })

const invocationOf = (
  root: CommandSpec,
  spec: CommandSpec,
  parsed: ParsedCommand,
  signal: AbortSignal,
): Invocation => {
  const { flags } = parsed
  const { env } = process
  const named = spec.settings?.includes('config') === true ? flags['config'] : undefined
  const fromEnv = env['KIROKU_CONFIG'] === '' ? undefined : env['KIROKU_CONFIG']
  const configFile: Invocation['configFile'] = (name) =>
    readConfigFile(process.cwd(), name ?? (named as string | undefined) ?? fromEnv)
  return {
    root,
    argument: (name) => parsed.arguments[name],
    text: (flag) => flags[flag] as string | undefined,
    int: (flag) => flags[flag] as number | undefined,
    flag: (flag) => flags[flag] === true,
    configFile,
    settings: (file = configFile()) => resolveSettings({ flags, env, file }),
    out: processOutput(flags['json'] === true, flags['raw'] === true),
    signal,
  }
}
