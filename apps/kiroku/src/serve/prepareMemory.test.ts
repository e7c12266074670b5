import { expect, it } from 'vitest'
import { prepareMemory } from './prepareMemory.ts'

const told = (audit: 'on' | 'off', mebibytes: number): readonly unknown[] => {
  const lines: unknown[] = []
  prepareMemory(
    { audit },
    (level, event, fields) => lines.push([level, event, fields]),
    mebibytes * 1024 * 1024,
  )
  return lines
}

it.each<['on' | 'off', number]>([
  ['on', 512],
  ['off', 384],
  ['on', 24_576],
])('says nothing where there is enough memory: auditor %s, %i MiB', (audit, mebibytes) =>
  expect(told(audit, mebibytes)).toEqual([]),
)

it.each<['on' | 'off', number, string, string]>([
  ['on', 511, '512 MiB', 'give it more, or set --audit off'],
  ['on', 256, '512 MiB', 'give it more'],
  ['off', 383, '384 MiB', 'give it more'],
])('warns of little memory, with what helps: auditor %s, %i MiB', (audit, mebibytes, needs, help) =>
  expect(told(audit, mebibytes)).toEqual([
    [
      'warn',
      'little memory',
      { has: `${mebibytes} MiB`, needs, why: `the system may end the engine under load: ${help}` },
    ],
  ]),
)
