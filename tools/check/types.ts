/**
 * `node tools/check/types.ts TSCONFIG`: checks the types of one project and then lints with the same program. Both visit
 * only the files whose text changed, or whose types may have, since they were last found sound: the compiler's own
 * incremental state says which, so that a type that changed elsewhere is noticed by the lint rules too.
 */
import { mkdirSync, rmSync } from 'node:fs'
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
}

const key = keyOf([
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
  { incremental: true, tsBuildInfoFile: stateFile },
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic: ({ messageText }) => console.error(messageText) },
)
if (parsed === undefined) process.exit(2)

const { options, fileNames } = parsed
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
builder.emit()

const eslint = new ESLint({
  cwd: root,
  overrideConfig: {
    files: ['**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { projectService: false, programs: [program] } },
  },
})
const results = pending.length === 0 ? [] : await eslint.lintFiles(pending)
const faulty = results.filter(({ messages }) => messages.length > 0)
writeCache(name, { key, files: faulty.map(({ filePath }) => filePath) } satisfies Pending)

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
process.exitCode = diagnostics.length + faulty.length > 0 ? 1 : 0
