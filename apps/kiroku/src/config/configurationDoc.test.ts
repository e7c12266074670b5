import { format } from 'prettier'
import { expect, it } from 'vitest'
import { configurationDoc } from './configurationDoc.ts'

it('docs/configuration.md is made from the settings table (renew with `vitest -u`)', async () => {
  const text = await format(configurationDoc(), { parser: 'markdown', printWidth: 110 })
  await expect(text).toMatchFileSnapshot('../../../../docs/configuration.md')
})
