import tseslint from 'typescript-eslint'
import { pureFiles, pureGlobals, pureSyntax, sleeps, testFiles, walls } from './tools/walls.ts'

export default [
  { ignores: ['**/node_modules/**', '**/dist/**', '.nx/**', '**/.kiroku/**', 'coverage/**'] },
  {
    files: ['**/*.{ts,tsx}'],
    languageOptions: { parser: tseslint.parser, parserOptions: { projectService: true } },
    plugins: { '@typescript-eslint': tseslint.plugin, walls },
    rules: {
      'walls/direction': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-expressions': 'error',
      eqeqeq: 'error',
      'no-debugger': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
    },
  },
  {
    files: [...pureFiles],
    ignores: [...testFiles],
    rules: {
      'no-restricted-globals': ['error', ...pureGlobals],
      'no-restricted-syntax': ['error', ...pureSyntax],
    },
  },
  {
    files: ['**/*.{test,spec}.ts'],
    rules: { 'no-restricted-syntax': ['error', ...sleeps] },
  },
]
