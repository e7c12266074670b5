import type { ConfigFile } from '../config/ConfigFile.ts'
import type { SettingKey, Settings } from '../config/settings.ts'
import type { Output } from './Output.ts'

/** A flag that belongs to one command; settings that several share are in the settings table. */
export interface FlagSpec {
  readonly name: string
  readonly kind: 'text' | 'int' | 'boolean' | 'choice'
  readonly choices?: readonly string[]
  readonly alias?: string
  readonly metavar?: string
  readonly description: string
}

/** A positional argument. */
export interface ArgumentSpec {
  readonly name: string
  readonly description: string
  readonly optional?: boolean
}

/** What a command gets to work with. */
export interface Invocation {
  /** The tree that the command belongs to. */
  readonly root: CommandSpec
  readonly argument: (name: string) => string | undefined
  readonly text: (flag: string) => string | undefined
  readonly int: (flag: string) => number | undefined
  readonly flag: (flag: string) => boolean
  /** Reads the configuration file: a given one, or the one that flags and environment name. Errors: `InvalidConfig`, `MalformedJson`. */
  readonly configFile: (name?: string) => ConfigFile
  /** Resolves the settings of the command: flags, environment, file, defaults. Errors: those of `configFile`. */
  readonly settings: (file?: ConfigFile) => Settings
  readonly out: Output
  /** Aborted at the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal
}

/** A module that runs a command; loaded only when needed. */
export interface CommandModule {
  readonly run: (invocation: Invocation) => Promise<void>
}

/** One node of the command tree, as data. */
export interface CommandSpec {
  readonly name: string
  readonly summary: string
  readonly description?: string
  readonly examples?: readonly { readonly command: string; readonly description: string }[]
  readonly arguments?: readonly ArgumentSpec[]
  readonly flags?: readonly FlagSpec[]
  /** Settings that this command takes as flags. */
  readonly settings?: readonly SettingKey[]
  readonly load?: () => Promise<CommandModule>
  readonly subcommands?: readonly CommandSpec[]
}
