import { roleSuffices, type Tokens } from '@kiroku/doors'
import * as Effect from 'effect/Effect'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import type { ApiDependencies } from '../ApiDependencies.ts'
import type { ConsolePages } from '../console/ConsolePages.ts'
import { Caller, CallerRole } from '../definition/Access.ts'
import { Api } from '../definition/Api.ts'

/** The caller. */
export const sessionHandlers = (
  { about }: ApiDependencies,
  tokens: Tokens,
  pages: ConsolePages | undefined,
) =>
  HttpApiBuilder.group(Api, 'session', (handlers) =>
    handlers.handle(
      'session',
      Effect.fnUntraced(function* () {
        const { name } = yield* Caller
        const role = yield* CallerRole
        const commands = pages !== undefined && !pages.isReadOnly && roleSuffices(role, 'operator')
        return { ...about, name, role, commands, tokens: tokens.areRequired }
      }),
    ),
  )
