/**
 * The lint rules of our own, as a plugin of oxlint: which way imports go, and syntax that the rooms refuse.
 * What they refuse, and why, stands in `walls.ts`.
 */
import path from 'node:path'
import { breach } from './walls.ts'

interface Node {
  readonly type: string
  readonly value?: unknown
  /** Of an import or export: where from, and whether types alone. */
  readonly source?: Node | null
  readonly importKind?: string
}

interface RuleContext {
  readonly cwd: string
  readonly filename: string
  readonly options: ReadonlyArray<unknown>
  report(problem: { readonly node: Node; readonly message: string }): void
}

type Visitor = Readonly<Record<string, (node: Node) => void>>

const direction = {
  create(context: RuleContext): Visitor {
    const file = path.relative(context.cwd, context.filename).split(path.sep).join('/')
    const check = ({ source, importKind }: Node): void => {
      if (typeof source?.value !== 'string') return
      const message = breach(file, source.value, importKind === 'type')
      if (message !== undefined) context.report({ node: source, message })
    }
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
      TSImportType: check,
    }
  },
}

/** Its options are selectors of syntax trees, each with what is said of a node that it finds. */
const syntax = {
  meta: { schema: false },
  create(context: RuleContext): Visitor {
    const refused = context.options as ReadonlyArray<{ readonly selector: string; readonly message: string }>
    return Object.fromEntries(
      refused.map(({ selector, message }) => [selector, (node) => context.report({ node, message })]),
    )
  },
}

export default { meta: { name: 'walls' }, rules: { direction, syntax } }
