import { expect, it } from 'vitest'
import { errorFromWire, type WireError } from './KirokuError.ts'

it('an error from elsewhere has one of our ids, whatever that side calls it', () => {
  for (const id of ['NoSuchId', 'toString', '__proto__', ''])
    expect(errorFromWire({ id, message: 'x' } as unknown as WireError)).toMatchObject({
      id: 'Internal',
      help: expect.any(String) as string,
    })
})
