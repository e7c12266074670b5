import { errorRegistry, isKirokuError, KirokuError, type ErrorId } from '@kiroku/protocol'

/** An error as doors answer it. */
export interface DoorError {
  readonly id: ErrorId
  readonly message: string
  readonly help: string
  readonly retryable: boolean
  readonly retryAfterMs?: number
}

/** The HTTP status of an error. */
export const statusOf = (id: ErrorId): number => errorRegistry[id].http

/** The ids of errors by their HTTP status, lowest first. */
export const idsByStatus: readonly (readonly [status: number, ids: readonly ErrorId[]])[] = [
  ...Map.groupBy(Object.keys(errorRegistry) as ErrorId[], statusOf),
].sort(([a], [b]) => a - b)

/** Whether the caller can do something about an error; all others are defects. */
export const isForCaller = (error: unknown): error is KirokuError =>
  isKirokuError(error) && statusOf(error.id) !== 500

/** Headers of an error: its pause as Retry-After, in whole seconds. */
export const errorHeaders = ({
  retryAfterMs,
}: Pick<DoorError, 'retryAfterMs'>): { readonly 'retry-after'?: string } =>
  retryAfterMs === undefined ? {} : { 'retry-after': `${Math.max(1, Math.ceil(retryAfterMs / 1_000))}` }

/** The answer to what was thrown; anything but a `KirokuError` becomes `Internal`. */
export const toDoorError = (cause: unknown): DoorError => {
  const error = isKirokuError(cause)
    ? cause
    : new KirokuError('Internal', cause instanceof Error ? cause.message : String(cause))
  const { id, message, help, retryable, retryAfterMs } = error
  return { id, message, help, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}
