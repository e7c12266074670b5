import { describe, expect, it } from 'vitest'
import { deadLettersQuestion, lettersQuestion } from './deadLetters.ts'
import { diffQuestion, logQuestion, recordingQuestion, stateQuestion } from './lookingBack.ts'
import { matchingQuestion } from './matching.ts'
import { historyQuestion, searchQuestion } from './searching.ts'

const nowMs = Date.parse('2026-11-21T15:00:00Z')
const fiveMinutesAgo = { time: nowMs - 300_000 }
const recording = { nowMs, partitions: 4 }

describe('a question about the past', () => {
  it('has moments, states and numbers in place of texts', () => {
    expect(logQuestion({ at: '3/1234' }, nowMs)).toEqual({ at: { seq: 1_234, partition: 3 } })
    const query = { at: '5m', states: 'available,DLQ', limit: '0', subscription: 'main', after: '0:1:2' }
    expect(stateQuestion('mail', query, nowMs)).toEqual({
      queue: 'mail',
      at: fiveMinutesAgo,
      states: ['Available', 'DLQ'],
      messagesMax: 0,
      subscription: 'main',
      after: '0:1:2',
    })
    expect(
      recordingQuestion('mail', { from: '7', partition: '3', frames: '10', state: '1' }, recording),
    ).toEqual({ queue: 'mail', from: { seq: 7 }, partition: 3, framesMax: 10, withState: true })
    expect(deadLettersQuestion('dead', { at: '5m' }, nowMs)).toEqual({ queue: 'dead', at: fiveMinutesAgo })
  })

  it('leaves out what is not asked, which is now', () => {
    expect(logQuestion({}, nowMs)).toEqual({})
    expect(stateQuestion('mail', {}, nowMs)).toEqual({ queue: 'mail', messagesMax: 100 })
    expect(recordingQuestion('mail', {}, recording)).toEqual({ queue: 'mail', withState: false })
  })

  it('counts all its durations back from one moment', () => {
    expect(diffQuestion('mail', { a: '5m', b: '5m' }, nowMs)).toEqual({
      queue: 'mail',
      from: fiveMinutesAgo,
      to: fiveMinutesAgo,
      messagesMax: 100,
    })
  })

  it.each([
    [() => stateQuestion('mail', { at: 'yesterday' }, nowMs), 'at: "yesterday" is not a moment'],
    [() => stateQuestion('mail', { states: 'lost' }, nowMs), 'states: "lost" is not one of'],
    [() => stateQuestion('mail', { limit: '1001' }, nowMs), 'limit: "1001" is not a number from 0 to 1000'],
    [() => diffQuestion('mail', { a: '' }, nowMs), 'a: "" is not a moment'],
    [() => recordingQuestion('mail', { partition: '4' }, recording), 'partition: "4" is not a number from 0'],
    [() => recordingQuestion('mail', { work: '1e7' }, recording), 'work: "1e7" is not a number from 0'],
  ])('%# is refused where it cannot be read, by the name of its parameter', (ask, message) => {
    expect(ask).toThrow(expect.objectContaining({ id: 'InvalidArgument' }))
    expect(ask).toThrow(message)
  })
})

describe('a question with a filter', () => {
  it('has it parsed, and refuses one that cannot be read', () => {
    expect(searchQuestion({ q: 'state:dlq', limit: '10' }, nowMs)).toMatchObject({
      filter: { conditions: [{ field: 'state', states: ['DLQ'] }] },
      limit: 10,
    })
    expect(searchQuestion({}, nowMs)).toEqual({ filter: { text: '', conditions: [] } })
    expect(() => searchQuestion({ q: 'colour:red' }, nowMs)).toThrow('there is no field "colour"')
    expect(() => searchQuestion({ limit: '0' }, nowMs)).toThrow('limit: "0" is not a number from 1 to 1000')
    expect(matchingQuestion({ where: 'queue:mail', dryRun: true }, nowMs)).toMatchObject({
      filter: { conditions: [{ field: 'queue' }] },
      isDryRun: true,
    })
    expect(() => matchingQuestion({ where: ' ' }, nowMs)).toThrow('say which messages are meant')
  })

  it('names the dead letters of a redrive, or none', () => {
    expect(lettersQuestion('dead', { subscription: 'main' }, nowMs)).toBeUndefined()
    expect(
      lettersQuestion('dead', { subscription: 'main', where: 'tag:a', messages: ['m'] }, nowMs),
    ).toMatchObject({
      queue: 'dead',
      subscription: 'main',
      where: { conditions: [{ field: 'tag' }] },
      messages: ['m'],
    })
  })
})

describe('a question about history', () => {
  it('is one of the last 15 minutes, unless it says another range', () => {
    expect(historyQuestion({}, nowMs)).toEqual({
      from: nowMs - 900_000,
      to: nowMs,
      buckets: 90,
      byQueue: false,
    })
    const query = { queue: 'mail', from: '24h', to: '2026-11-21T12:00', buckets: '500', by: 'queue' }
    expect(historyQuestion(query, nowMs)).toEqual({
      queue: 'mail',
      from: nowMs - 86_400_000,
      to: Date.parse('2026-11-21T12:00Z'),
      buckets: 500,
      byQueue: true,
    })
  })

  it.each([
    [{ from: 'tomorrow' }, 'from: "tomorrow" is neither a time'],
    [{ from: '5m', to: '10m' }, '"from" must be earlier than "to"'],
    [{ buckets: '0' }, 'buckets: "0" is not a number from 1 to 500'],
    [{ by: 'hour' }, 'by: "hour" is not "queue"'],
  ])('%j is refused', (query, message) => {
    expect(() => historyQuestion(query, nowMs)).toThrow(message)
  })
})
