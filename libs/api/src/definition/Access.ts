import type { Role } from '@kiroku/doors'
import type { Actor } from '@kiroku/protocol'
import * as Context from 'effect/Context'
import * as HttpApiMiddleware from 'effect/http-api/HttpApiMiddleware'
import * as HttpApiSecurity from 'effect/http-api/HttpApiSecurity'
import { errorSchemas } from './apiError.ts'

/** The caller: the actor that administrative events name. */
export class Caller extends Context.Service<Caller, Actor>()('kiroku/api/Caller') {}

/** The role of the caller. */
export class CallerRole extends Context.Service<CallerRole, Role>()('kiroku/api/CallerRole') {}

/** The role that an endpoint requires; an annotation of the definition. */
export const RequiredRole = Context.Reference<Role>('kiroku/api/RequiredRole', {
  defaultValue: () => 'admin',
})

/**
 * The level of a request's JSON at which messages for the queue of its path begin; an annotation of the definition.
 * 0: it has none.
 */
export const MessagesLevel = Context.Reference<number>('kiroku/api/MessagesLevel', {
  defaultValue: () => 0,
})

/** Requires a bearer token with a sufficient role, when tokens are configured. */
export class Access extends HttpApiMiddleware.Service<Access, { provides: Caller | CallerRole }>()(
  'kiroku/api/Access',
  {
    security: { bearer: HttpApiSecurity.bearer },
    error: errorSchemas,
  },
) {}

/** Answers every failure as an error of Kiroku: malformed requests, bodies over the limit, defects. */
export class Failures extends HttpApiMiddleware.Service<Failures>()('kiroku/api/Failures', {
  error: errorSchemas,
}) {}
