import { readFileSync, realpathSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown, type Plugin } from 'rolldown'
import { isolatedDeclarationSync } from 'rolldown/experimental'
import { createFakeJsPlugin, resolveOptions } from 'rolldown-plugin-dts'
import { packageOf } from './packageOf.ts'
import type { PublicPackage } from './PublicPackage.ts'
import { root } from './runTarget.ts'

const declarationOf = (file: string): string => file.replace(/(\.d)?\.ts$/, '.d.ts')
const sourceOf = (declaration: string): string => declaration.replace(/\.d\.ts$/, '.ts')

const entry = path.join(root, 'entry.d.ts')

/**
 * Gives rolldown the declarations of the rooms' sources, each by itself. What is marked `@internal` is left out, and so
 * are comments on members of a union: they belong on a property.
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
    const { code, errors } = isolatedDeclarationSync(fileName, readFileSync(fileName, 'utf8'), {
      sourcemap: false,
      stripInternal: true,
    })
    if (errors.length > 0)
      problems.set(id, errors.map(({ message, codeframe }) => codeframe ?? message).join('\n'))
    return code
  },
})

/** Exports as types what is no value in the bundle: a class of which a program gets instances, and makes none. */
const exportTypes = (code: string, values: ReadonlySet<string>): string => {
  const types: string[] = []
  const rest = code.replaceAll(/^export (?:type )?\{ (.*) \};\n?/gm, (_, names: string) => {
    const all = names.split(', ').map((name) => name.replace(/^type /, ''))
    types.push(...all.filter((name) => !values.has(name)))
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
  const built = await rolldown({
    input: entry,
    external: (specifier) => !/^[./]|^@kiroku\//.test(specifier) || specifier in parts.from,
    treeshake: { moduleSideEffects: false },
    plugins: [
      roomsDeclared(parts, problems),
      createFakeJsPlugin(resolveOptions({ emitDtsOnly: true, oxc: true, tsconfig: false })),
    ],
  })
  const { output } = await built.generate({
    entryFileNames: 'index.d.ts',
    paths: (specifier) => parts.from[specifier] ?? specifier,
  })
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
