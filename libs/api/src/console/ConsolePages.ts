/** The console that operators see in their browser. */
export interface ConsolePages {
  /** Folder with what was built: `index.html`, and files under `assets` whose names change with their content. */
  readonly folder: string
  /** Whether its pages may only look. */
  readonly isReadOnly: boolean
  /** Asked where the folder holds no page. */
  readonly missing: () => MissingPage
}

/** Why there is no page. */
export interface MissingPage {
  /** Why, and what to do. */
  readonly why: string
  /** Whether there will be one soon: then the browser looks again by itself. */
  readonly soon: boolean
}
