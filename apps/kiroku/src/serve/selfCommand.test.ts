import { expect, it } from 'vitest'
import { selfCommand } from './selfCommand.ts'

const nothing = () => false

it.each([
  ['the clone', '/src/kiroku/apps/kiroku/src/serve/selfCommand.ts', '/src/kiroku', 'npm run kiroku --'],
  [
    'another folder than its clone',
    '/src/kiroku/apps/kiroku/src/serve/selfCommand.ts',
    '/home/ann/shop',
    'node /src/kiroku/apps/kiroku/bin/kiroku.mjs',
  ],
  [
    'another folder than its clone, which has a space in its name',
    '/home/ann lee/kiroku/apps/kiroku/src/serve/selfCommand.ts',
    '/home/ann lee/shop',
    "node '/home/ann lee/kiroku/apps/kiroku/bin/kiroku.mjs'",
  ],
  [
    'a project that it is installed in',
    '/home/ann/shop/node_modules/@kiroku/cli/dist/main.js',
    '/home/ann/shop',
    'npx kiroku',
  ],
  [
    'a workspace of such a project',
    '/home/ann/shop/node_modules/@kiroku/cli/dist/main.js',
    '/home/ann/shop/apps/mail',
    'npx kiroku',
  ],
  [
    'npx alone',
    '/home/ann/.npm/_npx/3a7f/node_modules/@kiroku/cli/dist/main.js',
    '/home/ann',
    'npx @kiroku/cli',
  ],
  ['anywhere, once it is global', '/usr/lib/node_modules/@kiroku/cli/dist/main.js', '/home/ann', 'kiroku'],
])('the printed command works in %s', (_, file, cwd, command) => {
  expect(selfCommand({ file, cwd, exists: nothing })).toBe(command)
})

it('finds the command of a project whose package is a link', () => {
  const exists = (file: string) => file === '/home/ann/shop/node_modules/.bin/kiroku'
  const file = '/src/store/@kiroku/cli/dist/main.js'
  expect(selfCommand({ file, cwd: '/home/ann/shop', exists })).toBe('npx kiroku')
})
