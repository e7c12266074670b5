import * as Context from 'effect/Context'
import type { Role } from '@kiroku/protocol'
import * as OpenApi from 'effect/http-api/OpenApi'
import { RequiredOn, RequiredRole } from './Access.ts'

type On = 'all' | 'queue' | 'some'

const words: Readonly<Record<On, string>> = {
  all: 'on all queues',
  queue: 'on the queue',
  some: 'on some queue; all others are as if they did not exist',
}

/** Which role an endpoint requires, in a sentence of its description. */
export const roleText = (role: Role, on: On): string => `Role: ${role}, ${words[on]}.`

/** What an endpoint does, the role that it requires, and on what: the queue of its path, some queues, or all. */
export const forRole = (role: Role, on: On, summary: string) =>
  OpenApi.annotations({ summary, description: `${summary} ${roleText(role, on)}` }).pipe(
    Context.add(RequiredRole, role),
    Context.add(RequiredOn, on),
  )
