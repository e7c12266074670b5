import type { Actor, Role } from '@kiroku/protocol'
import * as Context from 'effect/Context'
import * as HttpApiMiddleware from 'effect/http-api/HttpApiMiddleware'
import * as HttpApiSecurity from 'effect/http-api/HttpApiSecurity'
import type { Granted } from '../granted/Granted.ts'
import { errorSchemas } from './apiError.ts'

/** The caller: the actor that administrative events name. */
export class Caller extends Context.Service<Caller, Actor>()('kiroku/api/Caller') {}

/** The role of the caller on the queue of the path; without one, on everything, or their highest on anything. */
export class CallerRole extends Context.Service<CallerRole, Role>()('kiroku/api/CallerRole') {}

/** What the caller may see and do, for endpoints that tell of `some` queues. */
export class CallerGranted extends Context.Service<CallerGranted, Granted>()('kiroku/api/CallerGranted') {}

/** The role that an endpoint requires; an annotation of the definition. */
export const RequiredRole = Context.Reference<Role>('kiroku/api/RequiredRole', {
  defaultValue: () => 'admin',
})

/**
 * On what an endpoint requires the role; an annotation of the definition. `queue`: on the queue of its path. `some`: on any
 * queue, and its handler tells of those alone that the caller may know of. `all`: on everything, since its answer cannot be
 * divided.
 */
export const RequiredOn = Context.Reference<'all' | 'queue' | 'some'>('kiroku/api/RequiredOn', {
  defaultValue: () => 'all',
})

/**
 * The level of a request's JSON at which messages for the queue of its path begin; an annotation of the definition.
 * 0: it has none.
 */
export const MessagesLevel = Context.Reference<number>('kiroku/api/MessagesLevel', {
  defaultValue: () => 0,
})

/** Requires a bearer token with a sufficient role, when tokens are configured. */
export class Access extends HttpApiMiddleware.Service<
  Access,
  { provides: Caller | CallerRole | CallerGranted }
>()('kiroku/api/Access', {
  security: { bearer: HttpApiSecurity.bearer },
  error: errorSchemas,
}) {}

/** Answers every failure as an error of Kiroku: malformed requests, bodies over the limit, defects. */
export class Failures extends HttpApiMiddleware.Service<Failures>()('kiroku/api/Failures', {
  error: errorSchemas,
}) {}
