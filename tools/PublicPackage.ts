/** A package that others install, made of rooms of the workspace. */
export interface PublicPackage {
  readonly name: string
  readonly description: string
  /** Its room, whose README.md it brings. */
  readonly room: string
  /** The bundles: file name without extension, and the module it is made of. */
  readonly bundles: ReadonlyArray<{ readonly file: string; readonly code: string }>
  /** The bundle `index` is imported by name and has declarations. */
  readonly library: boolean
  /**
   * Declarations of globals that its user may ask for as `NAME/globals`; they import its own types from
   * `../src/index.ts`.
   */
  readonly globals?: string
  /** Children that a bundle starts as processes of their own, by the file name under which it looks for them. */
  readonly children: ReadonlyArray<{ readonly file: string; readonly source: string }>
  /** Whether it includes the built console, in a folder next to its bundles. */
  readonly console: boolean
  /** If given, all dependencies are bundled, except these, which contain platform-specific code. */
  readonly bundledExcept?: ReadonlyArray<string>
  /** Rooms that come from another public package instead of being bundled twice. */
  readonly from: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
}

/** The package that brings a Node where the one of npm is too old for the executable. */
export const nodePackage = '@kiroku/node'

/** The oldest Node that packages run on; the executable hands over to a newer one by itself. */
export const nodeMin = '20.19'

export const publicPackages: ReadonlyArray<PublicPackage> = [
  {
    name: '@kiroku/client',
    description: 'Send to and receive from a Kiroku durable queue over NATS',
    room: 'libs/client',
    bundles: [{ file: 'index', code: `export * from '@kiroku/client-nats/published'` }],
    library: true,
    children: [],
    console: false,
    from: {},
    bin: {},
  },
  {
    name: '@kiroku/worker',
    description: 'Run a Cloudflare Worker module as a consumer of a Kiroku durable queue',
    room: 'libs/worker',
    globals: 'libs/worker/globals/index.ts',
    bundles: [{ file: 'index', code: `export * from '@kiroku/worker'` }],
    library: true,
    children: [],
    console: false,
    // One KirokuError in a process, or `isKirokuError` would not know the other one.
    from: { '@kiroku/client': '@kiroku/client', '@kiroku/message': '@kiroku/client' },
    bin: {},
  },
  {
    name: '@kiroku/cli',
    description: 'The kiroku executable: a durable message queue over NATS JetStream',
    room: 'apps/kiroku',
    bundles: [{ file: 'main', code: `import './apps/kiroku/src/main.ts'` }],
    library: false,
    children: [
      { file: 'nats-keeper.mjs', source: 'libs/nats-server/src/keeper.ts' },
      { file: 'checkpoint-thread.mjs', source: 'libs/engine/src/checkpoint/checkpointThreadMain.ts' },
      { file: 'auditor.mjs', source: 'apps/kiroku/src/auditor/auditorProcess.ts' },
    ],
    console: true,
    bundledExcept: ['esbuild', 'msgpackr'],
    from: {},
    bin: { kiroku: 'bin/kiroku.mjs' },
  },
]
