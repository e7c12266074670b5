import { isXmlText } from '@kiroku/doors'
import fc from 'fast-check'
import { XMLParser } from 'fast-xml-parser'
import { expect, it } from 'vitest'
import { list, map, structure, text } from './Shape.ts'
import { writeXml } from './writeXml.ts'

const members = {
  Body: text,
  Attributes: map('Attribute', text),
  Entries: list('Entry', structure({ Id: text, Tags: map('Tag', text, 'Key') })),
}

it('any text that SQS takes is read back by a parser as it was', () => {
  const parser = new XMLParser({
    parseTagValue: false,
    trimValues: false,
    htmlEntities: true,
    isArray: (name) => ['Attribute', 'Entry', 'Tag'].includes(name),
  })
  // As the unit `binary`, which takes a second to list all characters.
  const unit = fc
    .oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
    .map((c) => String.fromCodePoint(c))
  const allowed = fc.string({ unit, minLength: 1 }).filter(isXmlText)
  fc.assert(
    fc.property(
      allowed,
      fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), allowed, { minKeys: 1 }),
      (body, pairs) => {
        const xml = writeXml(members, {
          Body: body,
          Attributes: new Map(Object.entries(pairs)),
          Entries: [{ Id: body, Tags: new Map(Object.entries(pairs)) }],
        })
        const told = Object.entries(pairs).map(([Name, Value]) => ({ Name, Value }))
        expect(parser.parse(`<R>${xml}</R>`)).toEqual({
          R: {
            Body: body,
            Attribute: told,
            Entry: [{ Id: body, Tag: told.map(({ Name, Value }) => ({ Key: Name, Value })) }],
          },
        })
      },
    ),
    { numRuns: 300 },
  )
})
