import type { Act } from './Act.ts'

/** Acts as readable lines: when, who, from where, what, before → after, why. */
export const renderActs = (acts: readonly Act[]): string =>
  acts.length === 0
    ? 'no administrative acts on record'
    : acts
        .map((act) => {
          const where = act.queue === '' ? `partition ${act.partition}` : act.queue
          const subscription = act.subscription === undefined ? '' : `/${act.subscription}`
          const why = act.by.reason === undefined ? '' : `\n    why: ${act.by.reason}`
          const change = [valuesOf(act.before), valuesOf(act.after)].filter((text) => text !== '').join(' → ')
          return (
            `${new Date(act.at).toISOString()}  ${act.by.name} (${act.by.origin})  ${act.event} ${where}${subscription}` +
            `  #${act.partition}/${act.seq}${change === '' ? '' : `\n    ${change}`}${why}`
          )
        })
        .join('\n')

const valuesOf = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
