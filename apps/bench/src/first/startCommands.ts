import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { startServer } from '@kiroku/nats-server'
import { atMost, median, type Figure } from '../Figure.ts'
import { ownRoot } from '../LoadProcess.ts'
import { EngineProcess } from '../engine/EngineProcess.ts'
import type { FirstRun } from './FirstRun.ts'

const run = promisify(execFile)

/** What a user's shell has: their own Node, and none of the workspace's tools in front of it. */
const env = {
  ...process.env,
  PATH: (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((each) => !each.includes('node_modules'))
    .join(delimiter),
}

/** How long commands take from the shell and back, in the clone and in the installed package. */
export const startCommands = async ({ sizes, progress, folder }: FirstRun): Promise<Figure[]> => {
  const project = await folder()
  await install(project, (text) => progress.step(text))
  const server = await startServer({ syncInterval: 'always' })
  try {
    const engine = await EngineProcess.start({ nats: server.url, partitions: 4, dataDir: await folder() })
    try {
      const homes = {
        'in a clone': join(ownRoot, 'apps', 'kiroku'),
        installed: join(project, 'node_modules', '@kiroku', 'cli'),
      }
      const commands = [
        { name: 'kiroku --version', args: ['--version'], mostSeconds: 0.2 },
        { name: 'kiroku queue list', args: ['queue', 'list', '--nats', server.url], mostSeconds: 0.6 },
      ]
      const figures: Figure[] = []
      for (const [where, home] of Object.entries(homes))
        for (const { name, args, mostSeconds } of commands) {
          progress.step(`${name}, ${where}`)
          const launcher = join(home, 'bin', 'kiroku.mjs')
          const seconds = median(await secondsOf(launcher, args, sizes.starts))
          figures.push(atMost(`${name}, ${where}`, seconds, 's', mostSeconds))
        }
      return figures
    } finally {
      await engine.stop()
    }
  } finally {
    await server.stop()
  }
}

/** Installs the executable's package as users do, with its own Node if theirs is too old. */
const install = async (project: string, told: (text: string) => void): Promise<void> => {
  told('building the package')
  const build = [join(ownRoot, 'tools', 'build.ts'), 'cli', 'node']
  const { stdout } = await run(process.execPath, build, { cwd: ownRoot })
  const [cli = '', node = ''] = stdout.trim().split('\n')
  const manifest = {
    private: true,
    dependencies: { '@kiroku/cli': `file:${cli}` },
    optionalDependencies: { '@kiroku/node': `file:${node}` },
  }
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest))
  told('installing it')
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: project, env })
}

/** Seconds of each start; the first one, which compiles for all that come, does not count. */
const secondsOf = async (launcher: string, args: readonly string[], starts: number): Promise<number[]> => {
  const seconds: number[] = []
  for (let start = 0; start <= starts; start++) {
    const startMs = performance.now()
    await run('node', [launcher, ...args], { env })
    if (start > 0) seconds.push((performance.now() - startMs) / 1_000)
  }
  return seconds
}
