import { readConfigFile, resolveSettings } from '../config/resolveSettings.ts'
import { runTree, type ParsedCommand } from './Cli.ts'
import type { CommandSpec, Invocation } from './CommandSpec.ts'
import { processOutput } from './Output.ts'

/** Runs one command line against a tree. Errors: those of the command, `InvalidArgument`. */
export const runCommandLine = (
  root: CommandSpec,
  version: string,
  argv: readonly string[],
  signal: AbortSignal,
): Promise<void> =>
  runTree(root, version, argv, async (spec, parsed) => {
    const module = await spec.load!()
    await module.run(invocationOf(parsed, signal))
  })

const invocationOf = (parsed: ParsedCommand, signal: AbortSignal): Invocation => ({
  argument: (name) => parsed.arguments[name],
  text: (flag) => parsed.flags[flag] as string | undefined,
  int: (flag) => parsed.flags[flag] as number | undefined,
  flag: (flag) => parsed.flags[flag] === true,
  settings: () =>
    resolveSettings({ flags: parsed.flags, env: process.env, file: readConfigFile(process.cwd()) }),
  out: processOutput(parsed.flags['json'] === true),
  signal,
})
