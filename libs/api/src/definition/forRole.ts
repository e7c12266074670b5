import * as Context from 'effect/Context'
import type { Role } from '@kiroku/doors'
import * as OpenApi from 'effect/http-api/OpenApi'
import { RequiredRole } from './Access.ts'

/** What an endpoint does, and the role that it requires. */
export const forRole = (role: Role, summary: string) =>
  OpenApi.annotations({ summary, description: `${summary} Role: ${role}.` }).pipe(
    Context.add(RequiredRole, role),
  )
