import * as sdk from '@aws-sdk/client-sqs'
import { expect, it } from 'vitest'
import {
  actionParity,
  actions,
  attributeNames,
  attributeParity,
  errorKinds,
  errorParity,
  errorsNotHere,
  errorsUnshown,
  systemAttributeNames,
  systemAttributeParity,
} from './reference.ts'

/** The tag of schemas of errors in the official client. */
const errorTag = -3
const ofClient = Object.entries(sdk as unknown as Readonly<Record<string, unknown>>)
  .filter(([name, schema]) => name.endsWith('$') && Array.isArray(schema) && schema[0] === errorTag)
  .map(([name]) => name.slice(0, -1))
  .filter((name) => name !== 'SQSServiceException')

it('says of every error of the official client whether it is here', () => {
  expect(ofClient.length).toBeGreaterThan(20)
  const known = [...Object.keys(errorKinds), ...Object.keys(errorsNotHere)]
  expect(ofClient.filter((name) => !known.includes(name))).toEqual([])
})

it.each([
  ['queues', Object.keys(sdk.QueueAttributeName), attributeNames, attributeParity],
  ['messages', Object.keys(sdk.MessageSystemAttributeName), systemAttributeNames, systemAttributeParity],
])('says of every attribute of %s whether it is here', (_, names, here, parity) => {
  const missing = names.filter((name) => name !== 'All' && !here.includes(name))
  expect(missing.filter((name) => parity[name]?.is !== 'not here')).toEqual([])
  const strange = Object.keys(parity).filter((name) => !names.includes(name))
  // What AWS does not have is an extension.
  expect(strange.filter((name) => parity[name]?.is !== 'extension' || !here.includes(name))).toEqual([])
})

it('says nothing of what is not there', () => {
  const members = Object.entries(actions).flatMap(([action, { input, output }]) =>
    [...Object.keys(input), ...Object.keys(output)].map((name) => `${action}.${name}`),
  )
  const there = new Set([...Object.keys(actions), ...members])
  expect(Object.keys(actionParity).filter((name) => !there.has(name))).toEqual([])
  const errors = [...Object.keys(errorParity), ...errorsUnshown]
  expect(errors.filter((name) => !Object.hasOwn(errorKinds, name))).toEqual([])
})
