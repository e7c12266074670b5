import { placeNow } from '@kiroku/audit'
import type { RedriveOptions } from '@kiroku/client'
import { KirokuError, type Actor } from '@kiroku/protocol'
import * as Effect from 'effect/Effect'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import type { ApiDependencies } from '../ApiDependencies.ts'
import { Caller } from '../definition/Access.ts'
import { Api } from '../definition/Api.ts'
import { given } from '../given.ts'
import { deadLettersQuestion, lettersQuestion } from '../questions/deadLetters.ts'
import { toOutgoing, withBody, writtenBodies } from './bodies.ts'
import { ask } from './ask.ts'
import { call } from './call.ts'
import { isOperator } from './isOperator.ts'

/** Dead letters, their bodies and redrives: who started, cancelled or edited one is on record. */
export const redriveHandlers = ({ client, record }: ApiDependencies) =>
  HttpApiBuilder.group(Api, 'redrives', (handlers) =>
    handlers.handleAll({
      listDeadLetters: Effect.fnUntraced(function* ({ params: { queue }, query }) {
        const asOperator = yield* isOperator
        return yield* ask({ record }, async (answers) => {
          const asked = deadLettersQuestion(queue, query, Date.now())
          const { count, groups } = await answers.deadLetters({ ...asked, asOperator })
          return { queue, count, groups }
        })
      }),
      startRedrive: Effect.fnUntraced(function* ({ params, payload }) {
        const { reason, group: _, where: _where, messages: _messages, ...options } = payload
        const by = because(yield* Caller, reason)
        return yield* ask({ record }, async (answers) => {
          const asked = lettersQuestion(params.queue, payload, Date.now())
          if (asked === undefined) return client.queues.redrive(params.queue, options as RedriveOptions, by)
          if (options.selection !== undefined)
            throw new KirokuError('InvalidArgument', 'a "selection" already names the messages to redrive')
          const selection = await answers.selectLetters(asked)
          if (selection.length === 0 && options.dryRun !== true)
            throw new KirokuError('InvalidArgument', `no dead letter of queue "${params.queue}" matches`)
          return client.queues.redrive(params.queue, { ...(options as RedriveOptions), selection }, by)
        })
      }),
      editBody: Effect.fnUntraced(function* ({ params: { id }, payload }) {
        const { reason, contentType, ...rest } = payload
        const by = because(yield* Caller, reason)
        const exact = yield* writtenBodies
        return yield* ask({ record }, async (answers) => {
          const { body } = toOutgoing(withBody(rest, exact), 'the message')
          const found = await answers.trace({ messageId: id })
          const { queue, number } = placeNow(found)
          const edit = { number, messageId: found.messageId, body, ...given({ contentType }) }
          const { isEdited } = await client.queues.editBody(queue, edit, by)
          return { queue, number, isEdited }
        })
      }),
      listRedrives: ({ params }) =>
        call(async () => ({ redrives: await client.queues.redrives(params.queue) })),
      cancelRedrive: Effect.fnUntraced(function* ({ params, payload }) {
        const by = yield* Caller
        return yield* call(() => client.queues.cancelRedrive(params.queue, payload, by))
      }),
    }),
  )

const because = (caller: Actor, reason: string | undefined): Actor =>
  reason === undefined ? caller : { ...caller, reason }
