import type { Tokens } from '@kiroku/doors'
import { roleSuffices } from '@kiroku/protocol'
import * as Effect from 'effect/Effect'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import type { ApiDependencies } from '../ApiDependencies.ts'
import type { ConsolePages } from '../console/ConsolePages.ts'
import { Caller, CallerGranted, CallerRole } from '../definition/Access.ts'
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
        const highest = yield* CallerRole
        const { differs, grants } = yield* CallerGranted
        const commands = pages !== undefined && !pages.isReadOnly && roleSuffices(highest, 'operator')
        const role = grants.role ?? highest
        return {
          ...about,
          name,
          role,
          ...(differs ? { grants } : {}),
          commands,
          tokens: tokens.areRequired,
        }
      }),
    ),
  )
