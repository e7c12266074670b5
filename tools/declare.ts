import { readFileSync, realpathSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { rollup, type Plugin } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import ts from 'typescript'
import { packageOf } from './packageOf.ts'
import type { PublicPackage } from './PublicPackage.ts'
import { root } from './runTarget.ts'

const { config } = ts.readConfigFile(path.join(root, 'tsconfig.base.json'), ts.sys.readFile) as {
  config: { compilerOptions: object }
}
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)

const formatHost: ts.FormatDiagnosticsHost = {
  getCurrentDirectory: () => root,
  getNewLine: () => '\n',
  getCanonicalFileName: (file) => file,
}

const declarationOf = (file: string): string => file.replace(/(\.d)?\.ts$/, '.d.ts')
const sourceOf = (declaration: string): string => declaration.replace(/\.d\.ts$/, '.ts')

const entry = path.join(root, 'entry.d.ts')

/**
 * Gives rollup the declarations of the rooms' sources, each by itself: the compiler then neither reads what a file
 * imports nor infers anything, which takes a second in place of six. What is marked `@internal` is left out.
 */
const roomsDeclared = (parts: PublicPackage, problems: Map<string, string>): Plugin => ({
  name: 'rooms-declared',
  resolveId: (specifier, importer) => {
    if (importer === undefined) return entry
    if (specifier.startsWith('@kiroku/'))
      return declarationOf(realpathSync(fileURLToPath(import.meta.resolve(specifier))))
    return specifier.startsWith('.') ? declarationOf(path.resolve(path.dirname(importer), specifier)) : null
  },
  load: (id) => {
    if (id === entry) return parts.bundles.map(({ code }) => code).join('\n')
    const fileName = sourceOf(id)
    const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(fileName, 'utf8'), {
      fileName,
      reportDiagnostics: true,
      compilerOptions: { ...options, stripInternal: true },
    })
    if (diagnostics.length > 0) problems.set(id, ts.formatDiagnostics(diagnostics, formatHost))
    return outputText
  },
})

/** Exports as types what is no value in the bundle: a class of which a program gets instances, and makes none. */
const exportTypes = (code: string, values: ReadonlySet<string>): string => {
  const types: string[] = []
  const rest = code.replaceAll(/^export (?:type )?\{ (.*) \};\n?/gm, (_, names: string) => {
    types.push(...names.split(', ').filter((name) => !values.has(name)))
    return ''
  })
  return `${rest}export { ${[...values].sort().join(', ')} };\nexport type { ${types.sort().join(', ')} };\n`
}

/** The declarations of a library's index in one file, with the rooms inside and the rest imported. */
export interface Declarations {
  /** The file, for a bundle that exports these values. */
  readonly textFor: (values: ReadonlySet<string>) => string
  /** The packages that it imports. */
  readonly imported: ReadonlySet<string>
}

/**
 * Declares a library's index.
 * @throws when a type that is public is written down nowhere, but inferred.
 */
export const declare = async (parts: PublicPackage): Promise<Declarations> => {
  const problems = new Map<string, string>()
  const built = await rollup({
    input: entry,
    external: (specifier) => !/^[./]|^@kiroku\//.test(specifier) || specifier in parts.from,
    treeshake: { moduleSideEffects: false },
    plugins: [roomsDeclared(parts, problems), dts()],
  })
  const { output } = await built.generate({ paths: (specifier) => parts.from[specifier] ?? specifier })
  await built.close()
  const [{ code, imports, modules }] = output
  for (const [id, { renderedLength }] of Object.entries(modules)) {
    const problem = problems.get(id)
    if (problem !== undefined && renderedLength > 0)
      throw new Error(`${parts.name} makes types public that their source does not write down:\n${problem}`)
  }
  return {
    textFor: (values) => exportTypes(code, values),
    imported: new Set(imports.filter((specifier) => !isBuiltin(specifier)).map(packageOf)),
  }
}
