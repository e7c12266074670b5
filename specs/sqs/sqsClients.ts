import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

/** Where `.ci/install-clients` puts what is not installed in the system. */
export const clientsFolder = path.join(
  process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'),
  'kiroku/clients',
)

export const python = '/usr/bin/python3'
export const aws = '/usr/bin/aws'

/** Packages of a Debian, as its Python finds them. */
export interface Debian {
  readonly protocol: 'json' | 'query'
  /** What comes before the packages of the system; undefined: nothing. */
  readonly pythonPath: string | undefined
}

export const debians = {
  'Debian 12': { protocol: 'query', pythonPath: undefined },
  'a later Debian': { protocol: 'json', pythonPath: path.join(clientsFolder, 'later') },
} as const satisfies Readonly<Record<string, Debian>>

/** A client of SQS that the door is tried with. */
export interface SqsClient {
  readonly name: string
  readonly protocol: 'json' | 'query'
  /** Names of the spec files that try it. */
  readonly files: readonly string[]
  /** What the titles of its tests contain; absent: all of the files. */
  readonly title?: string
  /** undefined: it is not installed. */
  readonly version: () => string | undefined
}

const versionOf = (folder: string): string | undefined => {
  const file = path.join(folder, 'package.json')
  if (!existsSync(file)) return undefined
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
}

const said = (file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string | undefined => {
  try {
    return execFileSync(file, args, { env: { PATH: process.env['PATH'], ...env }, stdio: 'pipe' })
      .toString()
      .trim()
  } catch {
    return undefined
  }
}

/** The version of a package of Debian's Python; undefined: it is not there. */
export const pythonVersion = (module: string, { pythonPath }: Debian): string | undefined => {
  if (pythonPath !== undefined && !existsSync(path.join(pythonPath, module))) return undefined
  const env = pythonPath === undefined ? {} : { PYTHONPATH: pythonPath }
  return said(python, ['-W', 'ignore', '-c', `import pycurl, ${module}; print(${module}.__version__)`], env)
}

/** A package in both Debians, by the names of its protocols. */
const inDebian = (name: string): readonly SqsClient[] =>
  Object.values(debians).map((debian) => ({
    name,
    protocol: debian.protocol,
    files: ['debian-clients.spec.ts'],
    title: `${name} (${debian.protocol})`,
    version: () => pythonVersion(name, debian),
  }))

const inNpm = (name: string): SqsClient => ({
  name,
  protocol: 'json',
  files: ['npm-clients.spec.ts'],
  version: () => versionOf(path.join(clientsFolder, 'node_modules', name)),
})

/** Every client that the door is tried with. */
export const sqsClients: readonly SqsClient[] = [
  {
    name: '@aws-sdk/client-sqs',
    protocol: 'json',
    files: ['aws-sdk.spec.ts', 'SQS-13.every-action.spec.ts'],
    version: () => versionOf(path.join(import.meta.dirname, '../../node_modules/@aws-sdk/client-sqs')),
  },
  inNpm('sqs-consumer'),
  inNpm('sqs-producer'),
  ...inDebian('boto3'),
  ...inDebian('celery'),
  {
    name: 'awscli',
    protocol: 'query',
    files: ['debian-clients.spec.ts'],
    title: 'awscli (query)',
    version: () => (existsSync(aws) ? /aws-cli\/(\S+)/.exec(said(aws, ['--version']) ?? '')?.[1] : undefined),
  },
  {
    name: 'curl',
    protocol: 'query',
    files: ['debian-clients.spec.ts'],
    title: 'curl (query)',
    version: () => /^curl (\S+)/.exec(said('curl', ['--version']) ?? '')?.[1],
  },
]
