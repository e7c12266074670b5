import { describe, expect, it } from 'vitest'
import { namedBy } from './namedBy.ts'
import { tree } from './tree.ts'

const named = (line: string) => {
  const { kinds, begun, dataDir } = namedBy(tree, line.split(' '))
  return [kinds.join(' and '), begun, ...(dataDir === undefined ? [] : [dataDir])]
}

describe('the last word of a command line', () => {
  it.each([
    ['send ma', 'queue', 'ma'],
    ['send mail ', '', ''],
    ['send --delay 5s ', 'queue', ''],
    ['send --ndjson ', 'queue', ''],
    ['receive --log other --json ', 'queue', ''],
    ['queue show ', 'queue', ''],
    ['queue update mail --dead-letter ', 'queue', ''],
    ['queue update mail --dead-letter=ma', 'queue', 'ma'],
    ['queue update mail --dead-letter = ma', 'queue', 'ma'],
    ['trace 1f', 'message', '1f'],
    ['dlq explain ', 'queue and message', ''],
    ['erase mail --message ', 'message', ''],
  ])('of "%s" names a %s', (line, kinds, begun) => {
    expect(named(line)).toEqual([kinds, begun])
  })

  it.each(['queue ', 'queue create ', 'up ', 'send mail hello ', 'send --delay ', 'send -', 'nonsense '])(
    'of "%s" names nothing known to an engine',
    (line) => expect(named(line)[0]).toBe(''),
  )

  it('is looked up in the folder that the line names', () => {
    expect(named('send --data-dir there ma')).toEqual(['queue', 'ma', 'there'])
  })
})
