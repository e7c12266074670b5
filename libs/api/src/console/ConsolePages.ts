/** The console in the operator's browser. */
export interface ConsolePages {
  /** Folder with the build: `index.html`, and files under `assets` whose names change with their content. */
  readonly folder: string
  /** Whether its pages are read-only. */
  readonly isReadOnly: boolean
  /** Called when the folder holds no page. */
  readonly missing: () => MissingPage
}

/** Why there is no page. */
export interface MissingPage {
  /** Why, and what to do. */
  readonly why: string
  /** Whether there will be one soon: then the browser reloads by itself. */
  readonly soon: boolean
}
