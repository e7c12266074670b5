import { defineConfig } from 'vitest/config'

const aside = ['**/node_modules/**', '**/dist/**']

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{libs,apps}/**/*.test.ts'],
          exclude: [...aside, '**/*.int.test.ts'],
          testTimeout: 60_000,
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
          exclude: aside,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'tooling',
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
