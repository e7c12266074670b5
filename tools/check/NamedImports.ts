import { closureOf, type ImportGraph } from '../ImportGraph.ts'

/** The names of a clause, there and here; absent: the module as a whole. */
type Names = ReadonlyArray<readonly [there: string, here: string]> | undefined

interface Clause {
  readonly file: string
  readonly names: Names
}

/** Where a file leads. */
export interface Leads {
  /** The files that define what it names. */
  readonly files: ReadonlySet<string>
  /** Modules that only told where a name is defined. */
  readonly passed: ReadonlySet<string>
}

const clausePattern =
  /^(?:import|export)\s+(type\s+)?(?:\{([^}]*)\}|\*(?:\s+as\s+\w+)?|[\w$]+(?:\s*,\s*\{[^}]*\})?)\s+from\s+['"]([^'"]+)['"];?/gm
const commentPattern = /\/\*[^]*?\*\/|\/\/.*$/gm

/**
 * The names in braces.
 * @param types whether those of types are among them, which are gone when the code runs
 */
const namesIn = (list: string, types: boolean): NonNullable<Names> =>
  list
    .replaceAll(commentPattern, '')
    .split(',')
    .map((name) => (types ? name.trim().replace(/^type /, '') : name.trim()))
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => {
      const [there = '', here = there] = name.split(/\s+as\s+/)
      return [there, here] as const
    })

/** A statement at the top of a module that does something; the formatter indents all others. */
const actPattern =
  /^(?!(?:import|export|const|let|type|interface|class|abstract|(?:async )?function|declare)\b|\/[/*]|[\s})\]>]|$)/m

/** It adds to the types of all who see it. */
const declarePattern = /^declare (?:global|module)\b/m

/**
 * What files lead to, name by name: where a module only hands on what others define, an import leads to
 * those of them whose names it takes. It loads the others too, which changes nothing while they define and no more; what
 * does more when it is loaded counts for all who load it.
 */
export class NamedImports {
  readonly #graph: ImportGraph
  readonly #types: boolean
  readonly #clauses = new Map<string, ReadonlyArray<Clause>>()
  readonly #rests = new Map<string, string>()
  /** For each module that only hands on: by a name of its own, the file and the name there. */
  readonly #handed = new Map<string, ReadonlyMap<string, readonly [file: string, name: string]>>()
  readonly #acting = new Map<string, ReadonlyArray<string>>()

  /** @param whose `run`: of code that runs, where types are gone; `types`: of types and code. */
  constructor(graph: ImportGraph, whose: 'run' | 'types') {
    this.#graph = graph
    this.#types = whose === 'types'
    for (const [file, { text, targets }] of graph) {
      const clauses: Clause[] = []
      const rest = text.replaceAll(clausePattern, (clause, type, list, specifier) => {
        const to = targets.get(specifier)
        if (to !== undefined && (this.#types || type === undefined))
          clauses.push({ file: to, names: list === undefined ? undefined : namesIn(list, this.#types) })
        return to === undefined ? clause : ''
      })
      this.#clauses.set(file, clauses)
      this.#rests.set(file, rest)
      if (rest.replaceAll(commentPattern, '').trim() !== '') continue
      if (clauses.some(({ names }) => names === undefined)) continue
      this.#handed.set(
        file,
        new Map(
          clauses.flatMap(({ file: from, names = [] }) =>
            names.map(([there, here]) => [here, [from, there] as const] as const),
          ),
        ),
      )
    }
  }

  /** The text of a file without its clauses on other files of the workspace. */
  restOf(file: string): string {
    return this.#rests.get(file) ?? ''
  }

  of(file: string): Leads {
    const files = new Set<string>()
    const passed = new Set<string>()
    for (const { file: to, names } of this.#clauses.get(file) ?? []) {
      if (names === undefined) files.add(to)
      for (const [name] of names ?? []) files.add(this.#origin(to, name, passed))
      if (names?.length === 0) for (const acting of this.#actingBehind(to)) files.add(acting)
    }
    for (const module of passed) for (const acting of this.#actingBehind(module)) files.add(acting)
    // Whatever no clause takes: `import 'x'`, `import('x')`, `import.meta.resolve('x')`, `new URL('x', …)`.
    const rest = this.restOf(file)
    for (const [specifier, to] of this.#graph.get(file)?.targets ?? [])
      if (rest.includes(`'${specifier}'`) || rest.includes(`"${specifier}"`)) files.add(to)
    return { files, passed }
  }

  #origin(file: string, name: string, passed: Set<string>): string {
    const handed = this.#handed.get(file)?.get(name)
    if (handed === undefined) return file
    passed.add(file)
    return this.#origin(...handed, passed)
  }

  /** The modules that do more than define when a module is loaded, or seen. */
  #actingBehind(module: string): ReadonlyArray<string> {
    const known = this.#acting.get(module)
    if (known !== undefined) return known
    const [next, pattern] = this.#types
      ? (['imports', declarePattern] as const)
      : (['loads', actPattern] as const)
    const acting = [...closureOf(module, (each) => this.#graph.get(each)?.[next] ?? [])].filter((each) =>
      pattern.test(this.#graph.get(each)?.text ?? ''),
    )
    this.#acting.set(module, acting)
    return acting
  }
}
