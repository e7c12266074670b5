import * as Context from 'effect/Context'
import * as HttpApiMiddleware from 'effect/http-api/HttpApiMiddleware'
import { errorSchemas } from './apiError.ts'

/** Answers what needs NATS while it is away: with the reason, within seconds. */
export class OutageWatch extends HttpApiMiddleware.Service<OutageWatch>()('kiroku/api/OutageWatch', {
  error: errorSchemas,
}) {}

/** Whether an endpoint says by itself, and in time, what is so in an outage; an annotation of the definition. */
export const TellsOutage = Context.Reference<boolean>('kiroku/api/TellsOutage', {
  defaultValue: () => false,
})
