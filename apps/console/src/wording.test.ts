import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** What readers stumbled over, and what stands there now. */
const said: readonly (readonly [was: RegExp, now: string])[] = [
  [/Look again/, 'Refresh'],
  [/not as by default/, 'changed from default'],
  [/receives wait\b/, 'consumers, waiting receives'],
  [/Is there at both|is final by|Came, and is there/, 'New, Changed, Finished since A'],
  [/Whose past/, 'Pick a queue'],
  [/Gathering what|Asking the cluster/, 'Loading…'],
  [/bring them back|Mend what/, 'Fix the cause (or edit the payload), then redrive'],
  [/In what two of them/, 'Compare two messages'],
  [/as often as it may/, 'retries exhausted'],
  [/>The youngest|'The youngest/, 'Latest'],
  [/What passes a filter/, 'Matching a filter'],
  [/It stands on record beside/, 'Reason (recorded in the audit log)'],
  [/nothing is asked and nothing moves/, 'Updates paused'],
  [/Change 0 settings|>Named by|>Lived|'Lived'/, 'Save, Source, Duration'],
  [/Everything but groups/, 'Groups and encryption can’t be changed later'],
  [/waits for no time/, 'not delayed'],
  [/message passes the filter/, 'no messages match'],
  [/Nobody owns it|it anew|any more, from/, 'No owner, again, no longer'],
]

it('pages say things as one says them: none of the texts that readers stumbled over has come back', () => {
  const folder = new URL('.', import.meta.url).pathname
  const files = globSync('**/*.{ts,tsx}', { cwd: folder }).filter((file) => !file.endsWith('.test.ts'))
  expect(files.length).toBeGreaterThan(100)
  const found = files.flatMap((file) => {
    const text = readFileSync(`${folder}/${file}`, 'utf8')
    return said.flatMap(([was, now]) => (was.test(text) ? [`${file}: ${String(was)}, say: ${now}`] : []))
  })
  expect(found).toEqual([])
})
