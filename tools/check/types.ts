/**
 * `node tools/check/types.ts TSCONFIG`: checks the types of one project and then lints with the same program. Both visit
 * only the files whose text changed, or whose types may have, since they were last found sound: the compiler's own
 * incremental state says which, so that a type that changed elsewhere is noticed by the lint rules too.
 */
import { existsSync, globSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { ESLint } from 'eslint'
import ts from 'typescript'
import { root } from '../runTarget.ts'
import { cacheFolder, keyOf, readCache, writeCache } from './cache.ts'

const configFile = process.argv[2] ?? 'tsconfig.json'
const name = `types-${configFile.replaceAll(/\W/g, '-')}`
const stateFile = path.join(cacheFolder, `${name}.tsbuildinfo`)

interface Pending {
  /** Of the rules and the versions of all tools. */
  readonly key: string
  /** What was not yet linted, or was found at fault. */
  readonly files: ReadonlyArray<string>
  /** When nothing was at fault: every own file in the program, and a key of their contents. */
  readonly sound?: { readonly files: ReadonlyArray<string>; readonly key: string }
}

const manifests = globSync('{libs,apps}/*/package.json', { cwd: root })
const key = keyOf([
  ...manifests,
  'eslint.config.js',
  'tools/walls.ts',
  'tools/check/types.ts',
  configFile,
  'tsconfig.base.json',
])
const before = readCache<Pending>(name, { key: '', files: [] })
// Where the rules are others, everything is checked again.
if (before.key !== key) rmSync(stateFile, { force: true })

const parsed = ts.getParsedCommandLineOfConfigFile(
  path.join(root, configFile),
  {
    incremental: true,
    tsBuildInfoFile: stateFile,
    // A file whose declarations stay as they were reaches no other: without them its first change would reach all.
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
  },
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic: ({ messageText }) => console.error(messageText) },
)
if (parsed === undefined) process.exit(2)

const { options, fileNames } = parsed

const fromRoot = (file: string): string => path.relative(root, file).split(path.sep).join('/')
const isSound = ({ sound }: Pending): boolean =>
  sound !== undefined &&
  fileNames.every((file) => sound.files.includes(fromRoot(file))) &&
  sound.files.every((file) => existsSync(path.join(root, file))) &&
  keyOf(sound.files) === sound.key
if (before.key === key && isSound(before)) {
  console.log(`0 of ${fileNames.length} files`)
  process.exit(0)
}

const host = ts.createIncrementalCompilerHost(options)
const program = ts.createProgram({ rootNames: fileNames, options, host })

/** What the compiler had to look at. */
const visited = new Set<string>()
// Not in the declarations, and the only place where the compiler says so.
const spied = program as ts.Program & {
  getBindAndCheckDiagnostics: (file: ts.SourceFile, ...rest: unknown[]) => ReadonlyArray<ts.Diagnostic>
}
const getBindAndCheckDiagnostics = spied.getBindAndCheckDiagnostics.bind(spied)
spied.getBindAndCheckDiagnostics = (file, ...rest) => {
  visited.add(file.fileName)
  return getBindAndCheckDiagnostics(file, ...rest)
}

const state = ts.readBuilderProgram(options, host)
const builder = ts.createEmitAndSemanticDiagnosticsBuilderProgram(program, host, state, parsed.errors)
const diagnostics = [
  ...builder.getConfigFileParsingDiagnostics(),
  ...builder.getOptionsDiagnostics(),
  ...builder.getSyntacticDiagnostics(),
  ...builder.getGlobalDiagnostics(),
  ...builder.getSemanticDiagnostics(),
]

if (state === undefined && fileNames.some((file) => !visited.has(file)))
  throw new Error(
    'This version of TypeScript no longer says which files it checked: adapt tools/check/types.ts',
  )

const own = new Set(fileNames)
const pending = [...new Set([...(before.key === key ? before.files : []), ...visited])].filter((file) =>
  own.has(file),
)
// Before the compiler's state is kept: what it will not name a second time must not be forgotten.
mkdirSync(cacheFolder, { recursive: true })
writeCache(name, { key, files: pending } satisfies Pending)
builder.emit(undefined, (file, text) => file === stateFile && ts.sys.writeFile(file, text))

const eslint = new ESLint({
  cwd: root,
  overrideConfig: {
    files: ['**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { projectService: false, programs: [program] } },
  },
})
const results = pending.length === 0 ? [] : await eslint.lintFiles(pending)
const faulty = results.filter(({ messages }) => messages.length > 0)
const sources = program
  .getSourceFiles()
  .map((file) => fromRoot(file.fileName))
  .filter((file) => !file.startsWith('..') && !file.includes('node_modules/'))
const wrong = diagnostics.length + faulty.length
writeCache(name, {
  key,
  files: faulty.map(({ filePath }) => filePath),
  ...(wrong === 0 ? { sound: { files: sources, key: keyOf(sources) } } : {}),
} satisfies Pending)

if (diagnostics.length > 0)
  console.log(
    ts.formatDiagnosticsWithColorAndContext(diagnostics, {
      getCurrentDirectory: () => root,
      getCanonicalFileName: (file) => file,
      getNewLine: () => '\n',
    }),
  )
if (faulty.length > 0) console.log(await (await eslint.loadFormatter('stylish')).format(faulty))
console.log(`${pending.length} of ${fileNames.length} files`)
process.exitCode = wrong > 0 ? 1 : 0
