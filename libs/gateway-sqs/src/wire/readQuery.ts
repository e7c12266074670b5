import { invalid } from '../SqsError.ts'
import { isBase64, malformed } from './readJson.ts'
import type { Members, Shape } from './Shape.ts'

/** A dotted name, taken apart. */
interface Node {
  text?: string
  readonly children: Map<string, Node>
}

/** Parameters of one request, and parts of a dotted name. */
const parametersMax = 10_000
const depthMax = 8

/** A request in the Query protocol, by its dotted names. Errors: `MalformedInput`. */
export const readForm = (forms: readonly string[]): Node => {
  const root: Node = { children: new Map() }
  let parameters = 0
  for (const form of forms)
    for (const [name, value] of new URLSearchParams(form)) {
      if (++parameters > parametersMax) throw malformed(`a request has up to ${parametersMax} parameters`)
      const path = name.split('.')
      if (path.length > depthMax) throw malformed(`the parameter ${name.slice(0, 100)} is nested too deep`)
      let node = root
      for (const part of path) {
        let child = node.children.get(part)
        if (child === undefined) node.children.set(part, (child = { children: new Map() }))
        node = child
      }
      node.text ??= value
    }
  return root
}

/** The members of a request, as `readJson` reads them. Errors: `InvalidParameterValue`, `MalformedInput`. */
export const readQuery = (form: Node, members: Members): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, shape]) => {
      const wireName = shape.kind === 'list' || shape.kind === 'map' ? shape.name : name
      const node = form.children.get(wireName)
      return node === undefined ? [] : [[name, read(shape, node, name)]]
    }),
  )

const read = (shape: Shape, node: Node, name: string): unknown => {
  const { text = '' } = node
  switch (shape.kind) {
    case 'text':
      return text
    case 'number':
      if (!/^-?\d{1,15}$/.test(text)) throw invalid(name, text, 'Must be an integer.')
      return Number(text)
    case 'flag':
      if (!/^(true|false)$/i.test(text)) throw invalid(name, text, 'Must be true or false.')
      return text.toLowerCase() === 'true'
    case 'bytes':
      if (!isBase64(text)) throw invalid(name, text, 'Must be base64.')
      return Buffer.from(text, 'base64')
    case 'list':
      return numbered(node).map((each) => read(shape.of, each, name))
    case 'map':
      return new Map(
        numbered(node).map((each) => {
          const key = each.children.get(shape.key)?.text
          const value = each.children.get('Value')
          if (key === undefined || value === undefined)
            throw malformed(`each ${shape.name} has a ${shape.key} and a Value`)
          return [key, read(shape.of, value, name)]
        }),
      )
    case 'structure':
      return readQuery(node, shape.members)
  }
}

/** What stands under 1, 2, … in that order. */
const numbered = ({ children }: Node): Node[] =>
  [...children]
    .filter(([key]) => /^\d{1,6}$/.test(key))
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, node]) => node)
