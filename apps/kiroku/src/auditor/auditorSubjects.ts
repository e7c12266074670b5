/** Where the node that runs the auditor of a log takes questions about the record. */
export const questionSubject = (log: string): string => `kiroku.audit.${log}.ask`

/** Where it says that it runs it, and that it stops. */
export const beatSubject = (log: string): string => `kiroku.audit.${log}.beat`

/** Where others ask who runs it. */
export const whoSubject = (log: string): string => `kiroku.audit.${log}.who`
