import { describe, expect, it } from 'vitest'
import { BodySchemas } from './BodySchemas.ts'

const schemas = new BodySchemas()
const schema = {
  type: 'object',
  properties: { customer: { type: 'object', properties: { id: { type: 'integer' } } } },
  required: ['customer'],
  additionalProperties: false,
}
const bytes = (text: string) => new TextEncoder().encode(text)

describe('the schema of a queue', () => {
  it('lets a body pass that fits', async () => {
    await schemas.hold(bytes('{"customer":{"id":42}}'), schema, 'orders')
    expect(await schemas.fits(bytes('{"customer":{}}'), schema, 'orders')).toBe(true)
  })

  it.each([
    ['{"customer":{"id":"42"}}', '/customer/id must be integer'],
    ['{}', "/ must have required property 'customer'"],
    ['{"customer":{},"x":1}', '/ must NOT have additional properties ("x")'],
    ['no json', 'requires JSON'],
  ])('refuses %s and names the place', async (body, problem) => {
    await expect(schemas.hold(bytes(body), schema, 'orders')).rejects.toMatchObject({
      id: 'BodyMismatch',
      message: expect.stringContaining(problem) as string,
    })
    expect(await schemas.fits(bytes(body), schema, 'orders')).toBe(false)
  })

  it.each([['http://json-schema.org/draft-07/schema#'], ['https://json-schema.org/draft/2020-12/schema']])(
    'may be of %s',
    async ($schema) => {
      await schemas.check({ $schema, ...schema })
    },
  )

  it.each([[{ type: 'nonsense' }], [{ $ref: 'https://example.org/elsewhere' }], [{ pattern: '(' }]])(
    'is refused when it is %j',
    async (wrong) => {
      await expect(schemas.check(wrong)).rejects.toMatchObject({ id: 'InvalidConfig' })
    },
  )
})
