import { format } from 'oxfmt'
import { expect, it } from 'vitest'
import { bodiesPage } from './bodiesPage.ts'
import { commandsPage } from './commandsPage.ts'
import { configurationPage } from './configurationPage.ts'
import { errorsPage } from './errorsPage.ts'
import { metricsPage } from './metricsPage.ts'
import { sqsPage } from './sqsPage.ts'

it.each([
  ['bodies', bodiesPage],
  ['cli', commandsPage],
  ['configuration', configurationPage],
  ['errors', errorsPage],
  ['metrics', metricsPage],
  ['sqs', sqsPage],
])('docs/reference/%s.md says what the code says (renew with `--update`)', async (name, page) => {
  const { code: text } = await format('page.md', page(), { printWidth: 110 })
  await expect(text).toMatchFileSnapshot(`../../../../docs/reference/${name}.md`)
})
