import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { shellWord } from './shellWord.ts'

it.each(['/home/ann/.kiroku', 'a b', 'größe', "Ann's data", '$HOME', 'a;b', '-x', '', '"', '\\'])(
  'a shell reads a printed word as it was meant: %j',
  (text) =>
    expect(
      spawnSync('sh', ['-c', `printf %s ${shellWord(text, 'linux')}`], { encoding: 'utf8' }).stdout,
    ).toBe(text),
)

it.each([
  ['/home/ann/.kiroku', 'linux', '/home/ann/.kiroku'],
  ['C:\\Users\\ann\\.kiroku', 'win32', 'C:\\Users\\ann\\.kiroku'],
  ['C:\\Users\\ann lee', 'win32', '"C:\\Users\\ann lee"'],
] as const)('only what needs quotes has them: %s on %s', (text, platform, word) =>
  expect(shellWord(text, platform)).toBe(word),
)
