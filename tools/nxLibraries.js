/**
 * Gives every package of the workspace the targets that its tests and its lint are, so that `nx affected -t unit` runs
 * what a change can reach. That a package is a project, and what it depends on, Nx reads from its package.json.
 */
import { globSync } from 'node:fs'
import path from 'node:path'

const tests = { unit: ['**/*.test.ts', '**/*.int.test.ts'], integration: ['**/*.int.test.ts', ''] }

const targetsOf = (folder) => {
  const run = (command) => ({ command, options: { cwd: '{workspaceRoot}' } })
  const has = ([pattern, except]) =>
    globSync(pattern, { cwd: folder, exclude: ['**/node_modules/**', except] }).length > 0
  return {
    lint: run(`oxlint ${folder}`),
    ...Object.fromEntries(
      Object.entries(tests)
        .filter(([, patterns]) => has(patterns))
        .map(([name]) => [name, run(`vitest run --project ${name} ${folder}/`)]),
    ),
  }
}

export const createNodesV2 = [
  '{libs,apps}/*/package.json',
  (files, _options, { workspaceRoot }) => {
    process.chdir(workspaceRoot)
    return files.map((file) => {
      const folder = path.dirname(file)
      return [file, { projects: { [folder]: { root: folder, targets: targetsOf(folder) } } }]
    })
  },
]
