import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { root } from './runTarget.ts'
import { pureFiles, pureGlobals, rooms } from './walls.ts'

/** As the linter reports a fault. */
interface Diagnostic {
  readonly message: string
  readonly filename: string
}

interface Asked {
  readonly file: string
  readonly code: string
  readonly answer: (said: ReadonlyArray<string>) => void
}

const run = promisify(execFile)

/** What the linter says of files that exist only for it, in one run for all of them. */
const lint = async (asked: ReadonlyArray<Asked>): Promise<void> => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'kiroku-walls-'))
  try {
    // The rules that need types are off: the walls need none.
    const config = `import own from '${path.join(root, 'oxlint.config.ts')}'
export default { ...own, jsPlugins: ['${path.join(root, 'tools/wallRules.ts')}'], options: {} }\n`
    await writeFile(path.join(folder, 'oxlint.config.ts'), config)
    for (const { file, code } of asked) {
      await mkdir(path.join(folder, path.dirname(file)), { recursive: true })
      await writeFile(path.join(folder, file), code)
    }
    const { stdout } = await run(path.join(root, 'node_modules/.bin/oxlint'), ['--format', 'json'], {
      cwd: folder,
      maxBuffer: 1 << 26,
    }).catch((error: { readonly stdout: string }) => error)
    const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: ReadonlyArray<Diagnostic> }
    const said = Map.groupBy(diagnostics, ({ filename }) => filename)
    for (const { file, answer } of asked) answer((said.get(file) ?? []).map(({ message }) => message))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

let waiting: Asked[] = []
let count = 0

/** What the linter says of `code` in a file of that name; what is asked at the same time is linted in one run. */
const complaints = (name: string, code: string): Promise<ReadonlyArray<string>> =>
  new Promise((answer, reject) => {
    count += 1
    const file = path.join(path.dirname(name), `${count}${path.basename(name)}`)
    waiting.push({ file, code, answer })
    if (waiting.length > 1) return
    setImmediate(() => {
      const asked = waiting
      waiting = []
      lint(asked).catch(reject)
    })
  })

/** A file in the room, whether the room keeps its sources in `src` or not. */
const fileIn = (folder: string, name = 'Breach.ts'): string =>
  /^(libs|apps)\//.test(folder) ? `${folder}/src/${name}` : `${folder}/${name}`

describe('every room keeps its direction of imports', { concurrent: true }, () => {
  it.each(rooms)('$folder refuses what is not on its list and says why', async ({ folder, why }) => {
    const said = await complaints(fileIn(folder), `import 'left-pad'\n`)
    expect(said).toHaveLength(1)
    expect(said[0]).toContain(`${folder} may not import "left-pad"`)
    expect(said[0]).toContain(why)
  })

  it.each(rooms)('$folder accepts everything on its list', async ({ folder, may }) => {
    const code = may.map((name) => `import '${name === 'node:' ? 'node:fs' : name}'\n`).join('')
    expect(await complaints(fileIn(folder), code)).toEqual([])
  })

  it('a room that may have types of another imports nothing else of it', async () => {
    const file = fileIn('apps/console')
    const answers = '@kiroku/api/answers'
    expect(await complaints(file, `import type { Cluster } from '${answers}'\n`)).toEqual([])
    for (const code of [`import { Cluster } from '${answers}'\n`, `import '${answers}'\n`])
      expect(await complaints(file, code)).toHaveLength(1)
    expect(await complaints(file, `import type { Api } from '@kiroku/api'\n`)).toHaveLength(1)
  })

  it.each([
    ['libs/protocol', '@kiroku/message'],
    ['libs/message', '@kiroku/partition'],
    ['libs/message', 'effect/Option'],
    ['libs/partition', '@kiroku/engine'],
    ['libs/partition', '@kiroku/log'],
    ['libs/partition', 'effect/Effect'],
    ['libs/log', '@kiroku/log-jetstream'],
    ['libs/log', '@kiroku/partition'],
    ['libs/engine', '@kiroku/log-jetstream'],
    ['libs/engine', '@kiroku/client'],
    ['libs/client', '@kiroku/client-nats'],
    ['libs/client', '@kiroku/engine'],
    ['libs/client', '@kiroku/partition'],
    ['libs/client', '@kiroku/message'],
    ['libs/nats', '@kiroku/partition'],
    ['libs/nats', '@kiroku/link'],
    ['libs/link', '@nats-io/nats-core'],
    ['libs/link', '@kiroku/engine'],
    ['libs/link', '@kiroku/client'],
    ['libs/api', '@kiroku/partition'],
    ['apps/console', '@kiroku/partition'],
    ['libs/worker', '@kiroku/engine'],
    ['libs/audit', '@kiroku/engine'],
    ['libs/audit', '@kiroku/auditor'],
    ['libs/auditor', '@kiroku/engine'],
    ['libs/auditor', '@kiroku/api'],
    ['libs/feed', '@kiroku/partition'],
    ['libs/feed', '@kiroku/engine'],
    ['apps/console', '@kiroku/feed'],
    ['libs/doors', '@kiroku/api'],
    ['libs/doors', 'effect/Effect'],
    ['libs/doors', '@kiroku/partition'],
    ['libs/api', '@kiroku/nats'],
    ['libs/cluster', '@kiroku/engine'],
    ['libs/nats-server', '@kiroku/nats'],
    ['libs/nats-access', '@nats-io/nats-core'],
    ['libs/nats-access', '@kiroku/nats'],
    ['examples', '@kiroku/engine'],
  ])('%s may not import %s', async (folder, specifier) => {
    const said = await complaints(fileIn(folder), `import '${specifier}'\n`)
    expect(said).toEqual([expect.stringContaining(`${folder} may not import "${specifier}"`)])
  })

  it.each([
    ['a type import', `import type { X } from '@kiroku/engine'\nexport type Y = X\n`],
    ['an export', `export * from '@kiroku/engine'\n`],
    ['a named export', `export { X } from '@kiroku/engine'\n`],
    ['a dynamic import', `await import('@kiroku/engine')\n`],
    ['an import inside a type', `export type Y = import('@kiroku/engine').X\n`],
  ])('%s counts as an import', async (_name, code) => {
    const said = await complaints(fileIn('libs/message'), code)
    expect(said).toEqual(expect.arrayContaining([expect.stringContaining('may not import "@kiroku/engine"')]))
  })

  it('an import by path into another room is refused', async () => {
    const said = await complaints(fileIn('libs/engine'), `import '../../log/src/Frame.ts'\n`)
    expect(said).toEqual([expect.stringContaining('another room has one door, its package name')])
  })

  it.each(['./TestPartition.ts', './testing/CrashingLog.ts', './contract.ts'])(
    'what is for tests only is not imported by what ships: %s',
    async (specifier) => {
      const code = `import '${specifier}'\n`
      expect(await complaints(fileIn('libs/partition'), code)).toEqual([
        expect.stringContaining('what is for tests only must not ship'),
      ])
      expect(await complaints(fileIn('libs/partition', 'decide.test.ts'), code)).toEqual([])
      expect(await complaints(fileIn('libs/partition', 'TestLaw.ts'), code)).toEqual([])
      expect(await complaints(fileIn('libs/partition', 'testing/drive.ts'), code)).toEqual([])
    },
  )

  it('the rooms form no circle', () => {
    const list = new Map(rooms.map((room) => [room.folder.replace('libs/', '@kiroku/'), room.may]))
    const visit = (name: string, way: ReadonlyArray<string>): void => {
      expect(way, `a circle: ${[...way, name].join(' → ')}`).not.toContain(name)
      for (const next of list.get(name) ?? []) if (list.has(next)) visit(next, [...way, name])
    }
    for (const name of list.keys()) visit(name, [])
  })
})

describe('NATS stays in its adapters', { concurrent: true }, () => {
  const allowed = ['libs/nats', 'libs/log-jetstream', 'libs/cluster', 'libs/client-nats', 'apps/bench']

  it.each(rooms)('$folder imports @nats-io only if it is an adapter or the raw peer', async ({ folder }) => {
    const said = await complaints(fileIn(folder), `import '@nats-io/nats-core'\n`)
    expect(said).toHaveLength(allowed.includes(folder) ? 0 : 1)
  })
})

describe('the testkit is for what does not ship', { concurrent: true }, () => {
  const mayUseIt = ['specs', 'apps/bench']

  it.each(rooms.filter((room) => !mayUseIt.includes(room.folder)))(
    '$folder refuses it',
    async ({ folder }) => {
      const said = await complaints(fileIn(folder), `import '@kiroku/testkit'\n`)
      expect(said).toEqual([expect.stringContaining('the testkit is for tests only')])
    },
  )

  it.each(rooms.filter((room) => room.folder.startsWith('libs/')))(
    'the tests of $folder may use it',
    async ({ folder }) => {
      expect(await complaints(fileIn(folder, 'Breach.test.ts'), `import '@kiroku/testkit'\n`)).toEqual([])
    },
  )
})

describe('pure rooms see no clock, no chance and no platform', { concurrent: true }, () => {
  const pure = rooms.filter((room) => room.pure === true).map((room) => room.folder)

  it('they are protocol, message, partition and audit', () => {
    expect(pure).toEqual(['libs/protocol', 'libs/message', 'libs/partition', 'libs/audit'])
    expect(pureFiles).toHaveLength(4)
  })

  const uses = [
    ...pureGlobals.map(({ name }) => [name, `export const x = ${name}\n`] as const),
    ['Date.now', 'export const x = Date.now()\n'],
    ['new Date()', 'export const x = new Date()\n'],
    ['Date()', 'export const x = Date()\n'],
    ['Math.random', 'export const x = Math.random()\n'],
  ] as const

  it.each(pure.flatMap((folder) => uses.map(([name, code]) => [folder, name, code] as const)))(
    '%s refuses %s',
    async (folder, name, code) => {
      const said = await complaints(fileIn(folder), code)
      expect(said).toEqual([
        expect.stringMatching(/Pure room: `.*(argument|browser|event that the shell sends)/),
      ])
      expect(said[0]).toContain(`\`${name}\``)
    },
  )

  it.each(pure)('%s refuses node: built-ins', async (folder) => {
    expect(await complaints(fileIn(folder), `import 'node:crypto'\n`)).toEqual([
      expect.stringContaining(`${folder} may not import "node:crypto"`),
    ])
  })

  it('a date made from a given number is allowed', async () => {
    expect(
      await complaints(fileIn('libs/partition'), 'export const at = (ms: number) => new Date(ms)\n'),
    ).toEqual([])
  })
})

describe('a test does not sleep', { concurrent: true }, () => {
  it.each([
    ['a timer', 'await new Promise((resolve) => setTimeout(resolve, 5))\n'],
    ['a promise of one', `import { setTimeout as pause } from 'node:timers/promises'\nawait pause(5)\n`],
    ['a browser', 'await page.waitForTimeout(5)\n'],
  ])('by %s', async (_how, code) => {
    for (const name of ['decide.test.ts', 'log.int.test.ts', 'CF-01.spec.ts'])
      expect(await complaints(fileIn('libs/partition', name), code)).toEqual(
        expect.arrayContaining([expect.stringContaining('A test does not sleep')]),
      )
  })

  it('but may give up on something', async () => {
    const code = 'const timer = setTimeout(() => end(undefined), 5_000)\nclearTimeout(timer)\n'
    expect(await complaints(fileIn('libs/log', 'log.int.test.ts'), code)).toEqual([])
  })
})
