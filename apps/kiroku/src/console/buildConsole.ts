import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { constants, setPriority } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { sourceHash } from './sourceHash.ts'

/** Paths and callbacks of a build of the console. */
export interface ConsoleBuild {
  /** The clone. */
  readonly root: string
  /** The folder that is served. */
  readonly folder: string
  /** Called once, before a build begins. */
  readonly onBuild: () => void
  /** Ends the build. */
  readonly signal: AbortSignal
}

/** Records from which sources a console was built. */
const markFile = '.built'

/**
 * Builds the console if its sources changed since the last build, in its own process. The previous build is
 * served until the new one is complete. Throws the build's output when it fails.
 */
export const buildConsole = async ({ root, folder, onBuild, signal }: ConsoleBuild): Promise<void> => {
  const hash = await sourceHash(root)
  const mark = path.join(folder, markFile)
  if (hash === (await readFile(mark, 'utf8').catch(() => ''))) return
  onBuild()
  const fresh = path.join(folder, `.build-${process.pid}`)
  try {
    await runVite(path.join(root, 'apps', 'console'), fresh, signal)
    await mkdir(folder, { recursive: true })
    await rm(mark, { force: true })
    await rm(path.join(folder, 'assets'), { recursive: true, force: true })
    for (const name of ['assets', 'index.html']) await rename(path.join(fresh, name), path.join(folder, name))
    await writeFile(mark, hash)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

const runVite = async (cwd: string, outDir: string, signal: AbortSignal): Promise<void> => {
  const manifest = createRequire(path.join(cwd, 'package.json')).resolve('vite/package.json')
  const vite = path.join(path.dirname(manifest), 'bin', 'vite.js')
  const args = [vite, 'build', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn']
  const child = spawn(process.execPath, args, { cwd, signal, stdio: ['ignore', 'ignore', 'pipe'] })
  try {
    // Interactive work comes first.
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It ended at once, or the system forbids it.
  }
  const [said, [code]] = await Promise.all([
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  if (code !== 0) throw new Error(said.trim())
}
