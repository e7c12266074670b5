/** What a member of a request or an answer is, for both protocols. */
export type Shape =
  | { readonly kind: 'text' | 'number' | 'flag' | 'bytes' }
  /** In Query, `name.1`, `name.2`, …; in XML, one element of this name each. */
  | { readonly kind: 'list'; readonly name: string; readonly of: Shape }
  /** The same of pairs of a key and a value. */
  | {
      readonly kind: 'map'
      readonly name: string
      readonly key: 'Name' | 'Key'
      readonly of: Shape
    }
  | { readonly kind: 'structure'; readonly members: Members }

export type Members = Readonly<Record<string, Shape>>

export const text: Shape = { kind: 'text' }
export const number: Shape = { kind: 'number' }
export const flag: Shape = { kind: 'flag' }
export const bytes: Shape = { kind: 'bytes' }
export const list = (name: string, of: Shape): Shape => ({ kind: 'list', name, of })
export const map = (name: string, of: Shape, key: 'Name' | 'Key' = 'Name'): Shape => ({
  kind: 'map',
  name,
  key,
  of,
})
export const structure = (members: Members): Shape => ({ kind: 'structure', members })
