import { defineConfig } from 'oxlint'
import { pureFiles, pureGlobals, pureSyntax, sleeps, testFiles } from './tools/walls.ts'

export default defineConfig({
  ignorePatterns: ['**/dist/**', '.nx/**', '**/.kiroku/**', 'coverage/**'],
  plugins: ['typescript'],
  jsPlugins: ['./tools/wallRules.ts'],
  categories: { correctness: 'off' },
  options: { typeAware: true, typeCheck: true, denyWarnings: true },
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': ['error', { checksVoidReturn: false }],
    'typescript/await-thenable': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/consistent-type-imports': 'error',
    'no-unused-expressions': 'error',
    eqeqeq: 'error',
    'no-debugger': 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
  },
  overrides: [
    { files: ['**/*.{ts,tsx}'], rules: { 'walls/direction': 'error' } },
    {
      files: [...pureFiles],
      excludeFiles: [...testFiles],
      rules: {
        'no-restricted-globals': ['error', ...pureGlobals],
        'walls/syntax': ['error', ...pureSyntax],
      },
    },
    {
      files: ['**/*.{test,spec}.ts'],
      rules: { 'walls/syntax': ['error', ...sleeps] },
    },
  ],
})
