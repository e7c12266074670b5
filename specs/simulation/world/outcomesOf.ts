import type { Answer, Answers, Command } from '@kiroku/protocol'

/** What came of a command, in the words of the table of outcomes. */
export const outcomesOf = (command: Command, { ok, error }: Answer): string[] => {
  const { type } = command
  if (error !== undefined) return [`${type} ${error.id}`]
  switch (type) {
    case 'Enqueue': {
      const { numbers, spread } = ok as Answers['Enqueue']
      return [
        'ok',
        ...(numbers === undefined ? [] : ['repeated']),
        ...(spread === undefined ? [] : ['moved']),
      ].map((what) => `${type} ${what}`)
    }
    case 'Receive': {
      const { delivery } = ok as Answers['Receive']
      if (delivery === undefined) return [`${type} empty`]
      return [`${type} ok`, ...(delivery.isRepeat === true ? [`${type} repeated`] : [])]
    }
    case 'CancelReceive':
      return [`${type} ${(ok as Answers['CancelReceive']).cancelled ? 'cancelled' : 'ok'}`]
    case 'Ack':
    case 'Retry':
    case 'Extend':
    case 'Release':
    case 'DeadLetter': {
      const { refused } = ok as Answers['Ack']
      const ids = [...new Set(refused.map((r) => `${type} refused-${r.error}`))]
      return ids.length > 0 ? ids : [`${type} ok`]
    }
    case 'Forward':
      return [`${type} ${(ok as Answers['Forward']).outcome}`]
    default:
      return [`${type} ok`]
  }
}
