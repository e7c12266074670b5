import * as HttpApiEndpoint from 'effect/http-api/HttpApiEndpoint'
import * as HttpApiGroup from 'effect/http-api/HttpApiGroup'
import * as OpenApi from 'effect/http-api/OpenApi'
import * as Schema from 'effect/Schema'
import { forRole } from './forRole.ts'
import { ActsAnswer, HistoryAnswer, SearchAnswer } from './answers.ts'
import { errorSchemas as error } from './apiError.ts'

const optional = Schema.optionalKey

const text = (description: string) => optional(Schema.String.annotate({ description }))

/** Questions to what the auditor keeps. */
export const searching = HttpApiGroup.make('searching')
  .add(
    HttpApiEndpoint.get('search', '/search', {
      query: {
        q: text('The filter, like `state:dlq queue:mail since:24h`; default all messages'),
        limit: text('Most messages, 1 to 1000; default 50'),
        cursor: text('`cursor` of an answer: go on where that ended'),
      },
      success: SearchAnswer,
      error,
    }).annotateMerge(
      forRole(
        'viewer',
        'Messages that pass a filter, the latest first, and up to which sequence of each partition the answer knows.',
      ),
    ),
    HttpApiEndpoint.get('acts', '/acts', {
      query: {
        queue: text('Of this queue only'),
        actor: text('By this actor only'),
        since: text('Since a time in UTC like 2026-11-20T14:00, or since so long ago, like 24h'),
        until: text('Up to such a time, included'),
      },
      success: ActsAnswer,
      error,
    }).annotateMerge(
      forRole('viewer', 'Every administrative act: who, from where, why, and what it changed.'),
    ),
    HttpApiEndpoint.get('history', '/history', {
      query: {
        queue: text('Of this queue; default all together'),
        from: text('Since a time in UTC like 2026-11-20T14:00, or since so long ago, like 24h; default 15m'),
        to: text('Up to such a time; default now'),
        buckets: text('Most stretches of equal length to count in, 1 to 500; default 90'),
        by: text('`queue`: each queue for itself too, those first where most happened'),
      },
      success: HistoryAnswer,
      error,
    }).annotateMerge(
      forRole(
        'viewer',
        'How much happened when: messages sent, delivered, redelivered, committed, failed, released, dead-lettered and discarded in each stretch of `bucketMs`, and by how much those `waiting` grew. Stretches and counts that are not named are zero; `acts` are the latest administrative acts. `known` says from when on and up to when the index has read the record. `waitingBefore` is how many waited before the first stretch. Seconds are kept for 25 minutes, ten seconds for 26 hours, five minutes as long as the record.',
      ),
    ),
  )
  .annotateMerge(OpenApi.annotations({ title: 'Searching', description: 'Messages and acts on record.' }))
