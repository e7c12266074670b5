/** One check of the suite: an Nx target of the root project, and how long it may take. */
export interface Stage {
  /** The target in `project.json` whose command is run. */
  readonly target: string
  /** A Vitest stage is counted by its tests, any other as one check. */
  readonly counts: 'tests' | 'one'
  /** After this long the stage is ended and has failed. */
  readonly minutesMax: number
  /** What its command is told where these stages ran before it and passed. */
  readonly after?: { readonly passed: ReadonlyArray<string>; readonly args: ReadonlyArray<string> }
}

/** Every check, in the order in which `npm test` runs them; the budget of CONTRIBUTING.md is this column. */
export const stages: ReadonlyArray<Stage> = [
  { target: 'format', counts: 'one', minutesMax: 1 },
  { target: 'lint', counts: 'one', minutesMax: 1.5 },
  { target: 'typecheck', counts: 'one', minutesMax: 1 },
  { target: 'deadcode', counts: 'one', minutesMax: 0.5 },
  { target: 'tooling', counts: 'tests', minutesMax: 0.5 },
  { target: 'unit', counts: 'tests', minutesMax: 2 },
  { target: 'integration', counts: 'tests', minutesMax: 7 },
  { target: 'specs', counts: 'tests', minutesMax: 4.5 },
  { target: 'console', counts: 'tests', minutesMax: 9 },
  { target: 'simulation', counts: 'one', minutesMax: 4 },
  {
    target: 'mutants',
    counts: 'one',
    minutesMax: 8,
    after: { passed: ['specs', 'console'], args: ['--sound'] },
  },
  { target: 'pack', counts: 'tests', minutesMax: 3 },
  { target: 'first-hour', counts: 'one', minutesMax: 3 },
]
