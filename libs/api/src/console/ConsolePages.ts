/** The console that operators see in their browser. */
export interface ConsolePages {
  /** Folder with what was built: `index.html`, and files under `assets` whose names change with their content. */
  readonly folder: string
  /** Whether its pages may only look. */
  readonly isReadOnly: boolean
  /** What is said where the folder holds no page: why, and what to do. */
  readonly missing: () => string
}
