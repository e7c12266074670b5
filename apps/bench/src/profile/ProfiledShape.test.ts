import { expect, it } from 'vitest'
import { shapeNamed } from './ProfiledShape.ts'

it('knows the phases of every shape, and takes no other name for one', () => {
  expect(shapeNamed('publish:16384')).toMatchObject({ bodyBytes: 16_384, phase: { kind: 'send' } })
  expect(shapeNamed('consume:128')).toMatchObject({ bodyBytes: 128, phase: { kind: 'handle' } })
  expect(shapeNamed('send:1')).toMatchObject({ phase: { kind: 'send' } })
  expect(shapeNamed('live:128:10x4')).toMatchObject({ bodyBytes: 128, phase: { kind: 'live' } })
  const wrong = [
    '',
    'publish',
    'publish:0',
    'publish:x',
    'consume:128:1x1',
    'live:128',
    'live:128:0x1',
    'other:1',
  ]
  for (const name of wrong) expect(shapeNamed(name), name).toBeUndefined()
})
