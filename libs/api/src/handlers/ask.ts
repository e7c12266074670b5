import type { Answering } from '@kiroku/audit'
import * as Effect from 'effect/Effect'
import type { ApiDependencies } from '../ApiDependencies.ts'
import { Caller } from '../definition/Access.ts'
import { call } from './call.ts'

/** Asks the record for the caller of a request, from its share and for as long as it waits. */
export const ask = <A>(
  { record }: Pick<ApiDependencies, 'record'>,
  run: (answers: Answering) => Promise<A>,
) => Effect.flatMap(Caller, ({ name }) => call((signal) => run(record({ principal: name, signal }))))
