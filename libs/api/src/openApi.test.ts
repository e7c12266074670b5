import { format } from 'oxfmt'
import { describe, expect, it } from 'vitest'
import { openApi } from './openApi.ts'

interface Operation {
  readonly description: string
  readonly parameters?: ReadonlyArray<{
    readonly in: string
    readonly name: string
    readonly description?: string
    readonly schema: { readonly description?: string }
  }>
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: object }> }>
  readonly security?: readonly Record<string, unknown>[]
}

const document = openApi() as { readonly paths: Record<string, Record<string, Operation>> }
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
)

describe('the OpenAPI document', () => {
  it('is the one in docs/openapi.json (renew with `vitest -u`)', async () => {
    const { code: text } = await format('openapi.json', JSON.stringify(document), { printWidth: 110 })
    await expect(text).toMatchFileSnapshot('../../../docs/openapi.json')
  })

  it.each(operations)('states for $name the role it needs and how it fails', ({ operation }) => {
    expect(operation.description).toMatch(
      /Role: (viewer|operator|admin), on (the queue|some queue; all others are as if they did not exist|all queues)\.$/,
    )
    expect(operation.security).toEqual([{ bearer: [] }])
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining(['400', '401', '403', '404', '503']),
    )
  })

  it.each(operations)('describes every parameter and every answer of $name', ({ operation }) => {
    const named = (operation.parameters ?? []).filter((parameter) => parameter.in !== 'path')
    const undescribed = named.filter(
      ({ description, schema }) => description === undefined && schema.description === undefined,
    )
    expect(undescribed.map((parameter) => parameter.name)).toEqual([])
    const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
    expect(answers).not.toEqual([])
    for (const [status, { content }] of answers)
      if (status === '204') expect(content).toBeUndefined()
      else
        for (const { schema } of Object.values(content!))
          expect(Object.keys(schema).some((key) => /^(\$ref|properties|anyOf|format)$/.test(key))).toBe(true)
  })
})
