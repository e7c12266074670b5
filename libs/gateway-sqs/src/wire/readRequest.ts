import type { IncomingMessage } from 'node:http'
import { actions } from '../actions/index.ts'
import { missing, SqsError } from '../SqsError.ts'
import { readJson } from './readJson.ts'
import { readForm, readQuery } from './readQuery.ts'

/** A request, whatever its protocol. */
export interface SqsRequest {
  readonly protocol: 'json' | 'query'
  readonly action: string
  readonly input: Readonly<Record<string, unknown>>
  /** The path of the request, where it names a queue. */
  readonly queuePath: string | undefined
}

const target = 'AmazonSQS.'

/** The protocol of a request. Clients exist that name another target beside a form, which is the request then. */
export const protocolOf = ({ headers }: IncomingMessage): 'json' | 'query' => {
  const given = headers['x-amz-target']
  if (given === undefined) return 'query'
  if (String(given).startsWith(target)) return 'json'
  return /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '') ? 'query' : 'json'
}

/** Reads a request. Errors: `InvalidAction`, `MissingParameter`, `MalformedInput`, `InvalidParameterValue`. */
export const readRequest = (request: IncomingMessage, body: string): SqsRequest => {
  const { method, url = '/', headers } = request
  const [path = '/', search = ''] = url.split('?')
  const queuePath = /^\/\d{1,12}\/[^/]+/.exec(path)?.[0]
  if (protocolOf(request) === 'json') {
    const given = String(headers['x-amz-target'])
    const action = given.startsWith(target) ? given.slice(target.length) : ''
    const { input } = actionOf(action)
    return { protocol: 'json', action, input: readJson(body, input), queuePath }
  }
  if (method !== 'POST' && method !== 'GET')
    throw new SqsError('InvalidAction', `The method ${method} is not valid for this endpoint.`)
  const form = readForm([search, body])
  const action = form.children.get('Action')?.text
  if (action === undefined) throw missing('Action')
  const { input } = actionOf(action)
  return { protocol: 'query', action, input: readQuery(form, input), queuePath }
}

const actionOf = (name: string) => {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined)
    throw new SqsError('InvalidAction', `The action ${name.slice(0, 100)} is not valid for this endpoint.`)
  return action
}
