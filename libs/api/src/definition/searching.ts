import * as HttpApiEndpoint from 'effect/http-api/HttpApiEndpoint'
import * as HttpApiGroup from 'effect/http-api/HttpApiGroup'
import * as OpenApi from 'effect/http-api/OpenApi'
import { actsQuery, historyQuery, searchQuery } from '../questions/searching.ts'
import { forRole } from './forRole.ts'
import { ActsAnswer, HistoryAnswer, SearchAnswer } from './answers.ts'
import { errorSchemas as error } from './apiError.ts'

/** Queries to the auditor's index. */
export const searching = HttpApiGroup.make('searching')
  .add(
    HttpApiEndpoint.get('search', '/search', {
      query: searchQuery,
      success: SearchAnswer,
      error,
    }).annotateMerge(
      forRole(
        'viewer',
        'some',
        'Messages that match a filter, latest first, and the last sequence of each partition that the answer covers.',
      ),
    ),
    HttpApiEndpoint.get('acts', '/acts', {
      query: actsQuery,
      success: ActsAnswer,
      error,
    }).annotateMerge(
      forRole('viewer', 'some', 'Every administrative act: who, from where, why, and what it changed.'),
    ),
    HttpApiEndpoint.get('history', '/history', {
      query: historyQuery,
      success: HistoryAnswer,
      error,
    }).annotateMerge(
      forRole(
        'viewer',
        'some',
        'What happened over time: messages sent, delivered, redelivered, committed, failed, released, dead-lettered and discarded per bucket of `bucketMs`, and by how much those `waiting` grew. Absent buckets and counts are zero; `acts` are the latest administrative acts. `known` says from when to when the index has read the record. `waitingBefore` is how many waited before the first bucket. Counts per second are kept for 25 minutes, per ten seconds for 26 hours, per five minutes as long as the record.',
      ),
    ),
  )
  .annotateMerge(OpenApi.annotations({ title: 'Searching', description: 'Messages and acts on record.' }))
