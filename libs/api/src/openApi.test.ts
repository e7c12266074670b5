import { format } from 'prettier'
import { describe, expect, it } from 'vitest'
import { openApi } from './openApi.ts'

interface Operation {
  readonly description: string
  readonly responses: Record<string, unknown>
  readonly security?: readonly Record<string, unknown>[]
}

const document = openApi() as { readonly paths: Record<string, Record<string, Operation>> }
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
)

describe('the OpenAPI document', () => {
  it('is the one that docs/openapi.json keeps (renew with `vitest -u`)', async () => {
    const text = await format(JSON.stringify(document), { parser: 'json', printWidth: 110 })
    await expect(text).toMatchFileSnapshot('../../../docs/openapi.json')
  })

  it.each(operations)('says of $name which role it needs and how it fails', ({ operation }) => {
    expect(operation.description).toMatch(/Role: (viewer|operator|admin)\.$/)
    expect(operation.security).toEqual([{ bearer: [] }])
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining(['400', '401', '403', '404', '503']),
    )
  })
})
