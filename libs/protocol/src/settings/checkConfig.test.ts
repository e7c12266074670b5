import { describe, expect, it } from 'vitest'
import { checkConfig } from './checkConfig.ts'
import { defaultQueueConfig } from './defaultQueueConfig.ts'

const errorOf = (changes: object): unknown => {
  try {
    checkConfig(defaultQueueConfig, changes)
  } catch (error) {
    return error
  }
  return undefined
}

describe('a setting that does not exist', () => {
  it('is refused with the one that is likely meant', () => {
    const message = 'there is no setting "deadLetterQueue". Did you mean "deadLetter"?'
    expect(errorOf({ deadLetterQueue: 'dlq' })).toMatchObject({ id: 'InvalidConfig', message })
  })
  it('is refused with all that there are, where none is like it', () => {
    const message = expect.stringMatching(
      /^there is no setting "visibilityTimeout"; there are leaseMs, .*, idleMs$/,
    )
    expect(errorOf({ visibilityTimeout: 30 })).toMatchObject({ id: 'InvalidConfig', message })
  })
})

it('a dead-letter queue is given by its name, which is what an error says', () => {
  const message = 'deadLetter must be the name of a queue, or null, not an object'
  expect(errorOf({ deadLetter: { queue: 'dlq' } })).toMatchObject({ id: 'InvalidConfig', message })
})
