import { type Answering, placeNow } from '@kiroku/audit'
import type { RedriveOptions } from '@kiroku/client'
import { KirokuError, type Actor, type RedriveDescription } from '@kiroku/protocol'
import * as Effect from 'effect/Effect'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import type { ApiDependencies } from '../ApiDependencies.ts'
import { Caller, CallerGranted } from '../definition/Access.ts'
import { Api } from '../definition/Api.ts'
import { given } from '../given.ts'
import { redriveWithoutOthers } from '../granted/withoutOthers.ts'
import { refuseUnseen } from '../granted/refuseUnseen.ts'
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
        const { asking, isRestricted, sees } = yield* CallerGranted
        return yield* ask({ record }, async (answers) => {
          const asked = deadLettersQuestion(queue, query, Date.now())
          const { count, groups } = await answers.deadLetters({ ...asked, ...asking, asOperator })
          if (!isRestricted) return { queue, count, groups }
          return {
            queue,
            count,
            groups: groups.map((group) => ({
              ...group,
              origins: group.origins.filter((origin) => sees(origin.queue)),
            })),
          }
        })
      }),
      startRedrive: Effect.fnUntraced(function* ({ params, payload }) {
        const { reason, group: _, where: _where, messages: _messages, ...options } = payload
        const by = because(yield* Caller, reason)
        const granted = yield* CallerGranted
        return yield* redriving({ record }, async (answers) => {
          if (options.to !== undefined) granted.require('operator', options.to)
          if (granted.isRestricted && options.filter?.error !== undefined)
            throw new KirokuError(
              'Forbidden',
              'errors may be of queues that you may not know of: name the messages by "where" instead of "filter.error"',
            )
          const asked = lettersQuestion(params.queue, payload, Date.now())
          if (asked === undefined) return client.queues.redrive(params.queue, options as RedriveOptions, by)
          if (options.selection !== undefined)
            throw new KirokuError('InvalidArgument', 'a "selection" already names the messages to redrive')
          const selection = await answers.selectLetters({ ...asked, ...granted.asking })
          if (selection.length === 0 && options.dryRun !== true)
            throw new KirokuError('InvalidArgument', `no dead letter of queue "${params.queue}" matches`)
          return client.queues.redrive(params.queue, { ...(options as RedriveOptions), selection }, by)
        })
      }),
      editBody: Effect.fnUntraced(function* ({ params: { id }, payload }) {
        const { reason, contentType, ...rest } = payload
        const by = because(yield* Caller, reason)
        const exact = yield* writtenBodies
        const granted = yield* CallerGranted
        return yield* ask({ record }, async (answers) => {
          const { body } = toOutgoing(withBody(rest, exact), 'the message')
          const found = await answers.trace({ messageId: id })
          refuseUnseen(granted, found, id)
          const { queue, number } = placeNow(found)
          refuseUnseen(granted, { queues: [queue] }, id)
          granted.require('operator', queue)
          const edit = { number, messageId: found.messageId, body, ...given({ contentType }) }
          const { isEdited } = await client.queues.editBody(queue, edit, by)
          return { queue, number, isEdited }
        })
      }),
      listRedrives: Effect.fnUntraced(function* ({ params }) {
        const redrives = yield* call(() => client.queues.redrives(params.queue))
        return { redrives: yield* Effect.forEach(redrives, asSeen) }
      }),
      cancelRedrive: Effect.fnUntraced(function* ({ params, payload }) {
        const by = yield* Caller
        return yield* asSeen(yield* call(() => client.queues.cancelRedrive(params.queue, payload, by)))
      }),
    }),
  )

/** A redrive as the caller may know it. */
const asSeen = Effect.fnUntraced(function* (redrive: RedriveDescription) {
  const { isRestricted, sees } = yield* CallerGranted
  return isRestricted ? redriveWithoutOthers(redrive, sees) : redrive
})

const redriving = (
  dependencies: Pick<ApiDependencies, 'record'>,
  run: (answers: Answering) => Promise<RedriveDescription>,
) => Effect.flatMap(ask(dependencies, run), asSeen)

const because = (caller: Actor, reason: string | undefined): Actor =>
  reason === undefined ? caller : { ...caller, reason }
