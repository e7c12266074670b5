import { asXmlText } from '@kiroku/doors'
import type { Members, Shape } from './Shape.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#xD;',
}

/** Text as it stands in an element: what XML cannot hold would make all of the answer unreadable. */
export const escapeXml = (text: string): string =>
  asXmlText(text).replaceAll(/[&<>"'\r]/g, (found) => entities[found]!)

const element = (name: string, content: string): string => `<${name}>${content}</${name}>`

/** The members of an answer, as elements. */
export const writeXml = (members: Members, values: Readonly<Record<string, unknown>>): string =>
  Object.entries(members)
    .map(([name, shape]) => (values[name] === undefined ? '' : write(shape, name, values[name])))
    .join('')

const write = (shape: Shape, name: string, value: unknown): string => {
  switch (shape.kind) {
    case 'bytes':
      return element(name, Buffer.from(value as Uint8Array).toString('base64'))
    case 'list':
      return (value as readonly unknown[]).map((each) => write(shape.of, shape.name, each)).join('')
    case 'map':
      return [...(value as ReadonlyMap<string, unknown>)]
        .map(([key, each]) =>
          element(shape.name, element(shape.key, escapeXml(key)) + write(shape.of, 'Value', each)),
        )
        .join('')
    case 'structure':
      return element(name, writeXml(shape.members, value as Record<string, unknown>))
    default:
      return element(name, escapeXml(String(value)))
  }
}
