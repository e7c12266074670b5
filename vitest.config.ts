import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const mutant = process.env['KIROKU_MUTANT']

const aside = ['**/node_modules/**', '**/dist/**']

/** The specs of the doors for clients of other systems. */
const doors = ['specs/{sqs,chaos/sqs}/**/*.spec.ts']

// A spec whose promise is broken on purpose might wait forever.
const specTimeouts = { testTimeout: mutant === undefined ? 120_000 : 30_000, hookTimeout: 60_000 }

export default defineConfig({
  plugins: mutant === undefined ? [] : [import('./tools/mutate.ts').then(({ mutate }) => mutate(mutant))],
  test: {
    pool: 'forks',
    // Where engines that tests start tell programs of this user where their keys are.
    env: { XDG_STATE_HOME: fileURLToPath(new URL('./node_modules/.cache/state', import.meta.url)) },
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Loading the modules again for each file would take as long as the tests.
          isolate: false,
          include: ['{libs,apps}/**/*.test.ts'],
          exclude: [...aside, '**/*.int.test.ts'],
          // Only for a test that hangs: what bounds a property test is its count of runs.
          testTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['{libs,apps}/**/*.int.test.ts'],
          exclude: aside,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'specs',
          include: ['specs/**/*.spec.ts'],
          exclude: [...aside, ...doors, 'specs/console/**'],
          ...specTimeouts,
        },
      },
      {
        extends: true,
        test: { name: 'doors', include: doors, exclude: aside, ...specTimeouts },
      },
      {
        extends: true,
        test: {
          name: 'console',
          include: ['specs/console/**/*.spec.ts'],
          exclude: aside,
          // A browser, an engine, a nats-server and their load share the cores already.
          maxWorkers: 1,
          testTimeout: 90_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'tooling',
          isolate: false,
          // Tests that ask the linter do so together.
          maxConcurrency: 1_000,
          include: ['tools/**/*.test.ts'],
          exclude: [...aside, 'tools/pack.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'pack',
          include: ['tools/pack.test.ts'],
          exclude: aside,
          testTimeout: 300_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
})
