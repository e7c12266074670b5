/** One check of the suite: an Nx target of the root project, and how long it may take. */
export interface Stage {
  /** The target in `project.json` whose command is run. */
  readonly target: string
  /** A Vitest stage is counted by its tests, any other as one check. */
  readonly counts: 'tests' | 'one'
  /** What it takes on two idle cores, at most; where it hangs, it is ended after `patience` times that. */
  readonly minutesMax: number
  /** The stage it runs alongside, because that one mostly waits; absent: it runs alone. */
  readonly beside?: string
  /** Test files that take turns unless everything is requested, or the code that they see changed of late. */
  readonly turns?: Turns
  /** Arguments of its command, unless everything is requested. */
  readonly unlessFull?: ReadonlyArray<string>
  /** Arguments of its command, if these stages ran before it and passed. */
  readonly after?: { readonly passed: ReadonlyArray<string>; readonly args: ReadonlyArray<string> }
}

/** Which test files of a stage take turns. */
export interface Turns {
  readonly files: string
  /** All test files of the stage; absent: those that take turns. */
  readonly among?: string
  /** Where a change concerns all of them, as the beginning of a path. */
  readonly concerns: ReadonlyArray<string>
  /** Number of parts that the files are split into; each commit runs one of them. */
  readonly parts: number
}

/** How many times its budget a stage may take before it is ended and has failed: not all machines are idle, or quick. */
export const patience = 4

/** The stages that run executable specifications, which prove promises. */
export const specStages = ['specs', 'doors', 'console'] as const

/** Every check, in the order in which `npm test` begins them; the budget of CONTRIBUTING.md is this column. */
export const stages: ReadonlyArray<Stage> = [
  { target: 'unit', counts: 'tests', minutesMax: 1.5 },
  {
    target: 'integration',
    counts: 'tests',
    minutesMax: 4.25,
    turns: {
      files:
        '{libs/nats-server/src/{ensureNatsServer,fetchRelease,fullDisk,startManaged},libs/nats/src/findOutage,apps/kiroku/src/{badInput,serve/outage,commands/{dlq/dlq,engine/{fullDisk,waiting},message/{glance,settleMatching,slips},record/record}}}.int.test.ts',
      among: '{libs,apps}/**/*.int.test.ts',
      concerns: ['libs/nats-server/', 'libs/testkit/'],
      parts: 3,
    },
  },
  { target: 'format', counts: 'one', minutesMax: 0.1, beside: 'integration' },
  { target: 'lint', counts: 'one', minutesMax: 0.75, beside: 'integration' },
  { target: 'deadcode', counts: 'one', minutesMax: 0.25, beside: 'integration' },
  { target: 'tooling', counts: 'tests', minutesMax: 0.25, beside: 'integration' },
  { target: 'pack', counts: 'tests', minutesMax: 1.5, beside: 'integration' },
  {
    target: 'specs',
    counts: 'tests',
    minutesMax: 4.5,
    turns: {
      files:
        'specs/{card/CARD-05.{damage-found,only-looking},chaos/{cluster,quick},cluster/{deleted,versions},engine/ENG-15.trim-and-repair,security/{SEC-04.tokens,SEC-05.{grants,oidc},damage/*}}.spec.ts',
      among: 'specs/**/*.spec.ts',
      concerns: [],
      parts: 3,
    },
  },
  {
    target: 'doors',
    counts: 'tests',
    minutesMax: 1.5,
    turns: {
      files: 'specs/sqs/{debian-clients,fuzz}.spec.ts',
      among: 'specs/{sqs,chaos/sqs}/**/*.spec.ts',
      concerns: [],
      parts: 3,
    },
  },
  {
    target: 'console',
    counts: 'tests',
    minutesMax: 4,
    turns: {
      files: 'specs/console/**/*.spec.ts',
      concerns: ['apps/console/', 'specs/console/harness/', 'specs/harness/', 'package-lock.json'],
      parts: 3,
    },
  },
  { target: 'simulation', counts: 'one', minutesMax: 2.75, unlessFull: ['--rotating'] },
  {
    target: 'mutants',
    counts: 'one',
    minutesMax: 2,
    unlessFull: ['--rotating'],
    after: { passed: specStages, args: ['--sound'] },
  },
  { target: 'first-hour', counts: 'one', minutesMax: 2.25 },
]
