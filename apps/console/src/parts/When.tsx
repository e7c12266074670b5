import { useMoment } from '../data/moment.ts'
import { useMomentTime } from '../time/useSpan.ts'
import { ago, clock, exactTime, time, utcTime } from './format.ts'

const forms = { time, clock, exact: exactTime } as const

/**
 * A time by the chosen clock; the exact instant in UTC on hover. `now`: the day is left out if it is the
 * same.
 */
export const Time = ({
  at,
  form = 'time',
  now,
}: {
  readonly at: number
  readonly form?: keyof typeof forms
  readonly now?: number
}) => (
  <time dateTime={new Date(at).toISOString()} title={utcTime(at)}>
    {forms[form](at, now)}
  </time>
)

/** How long ago something was, as of the chosen moment; the time itself on hover. */
export const When = ({ at }: { readonly at: number }) => {
  const { at: asked } = useMoment()
  const then = useMomentTime()
  const now = asked === undefined ? Date.now() : then
  const own = exactTime(at)
  const instant = utcTime(at)
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={instant.startsWith(own) ? instant : `${own}\n${instant}`}
    >
      {now === undefined ? time(at) : ago(at, Math.max(at, now))}
    </time>
  )
}
