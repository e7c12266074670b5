import * as HttpApiEndpoint from 'effect/http-api/HttpApiEndpoint'
import * as HttpApiGroup from 'effect/http-api/HttpApiGroup'
import * as OpenApi from 'effect/http-api/OpenApi'
import { actsQuery, historyQuery, searchQuery } from '../questions/searching.ts'
import { forRole } from './forRole.ts'
import { ActsAnswer, HistoryAnswer, SearchAnswer } from './answers.ts'
import { errorSchemas as error } from './apiError.ts'

/** Questions to what the auditor keeps. */
export const searching = HttpApiGroup.make('searching')
  .add(
    HttpApiEndpoint.get('search', '/search', {
      query: searchQuery,
      success: SearchAnswer,
      error,
    }).annotateMerge(
      forRole(
        'viewer',
        'Messages that pass a filter, the latest first, and up to which sequence of each partition the answer knows.',
      ),
    ),
    HttpApiEndpoint.get('acts', '/acts', {
      query: actsQuery,
      success: ActsAnswer,
      error,
    }).annotateMerge(
      forRole('viewer', 'Every administrative act: who, from where, why, and what it changed.'),
    ),
    HttpApiEndpoint.get('history', '/history', {
      query: historyQuery,
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
